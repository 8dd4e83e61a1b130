import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { JsonSchema } from '../../src/resource/document/json-schema.ts';
import type { OpenApiDocument } from '../../src/resource/document/openapi-types.ts';
import { requestSchema } from '../../src/resource/document/schemas.ts';
import { isWritable } from '../../src/resource/fields/field.ts';
import { describeOnSqlite } from '../support/server.ts';

describeOnSqlite('the OpenAPI document', (server) => {
  const read = async (query = '') => (await server().nobody.get(`/schema/${query}`)).body as OpenApiDocument;

  test('names no default in the body of a PATCH', async () => {
    const { paths, components } = await read();
    const found: string[] = [];
    for (const { patch } of Object.values(paths)) {
      const schema = patch?.requestBody?.content['application/json']?.schema;
      if (!schema) continue;
      const body = schema.$ref ? components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
      for (const [name, member] of Object.entries(body?.properties ?? {})) {
        if ('default' in member) found.push(`${patch?.operationId} ${name}`);
      }
    }
    expect(found).toEqual([]);
  });

  test('forbids empty text where a key or a slug is required, as the server does', async () => {
    const { components } = await read();
    const [target, source] = [
      components.schemas.FlowStageBindingRequest?.properties?.target,
      components.schemas.SourceStageRequest?.properties?.source,
    ];
    expect([target?.minLength, source?.minLength]).toEqual([1, 1]);
    const { status, body } = await server().admin.post('/stages/source/', { name: 'nowhere', source: '' });
    expect([status, Object.keys(body)]).toEqual([400, ['source']]);
  });

  test('says that a PUT keeps absent members, and the server keeps them', async () => {
    const { paths } = await read();
    for (const [path, { put }] of Object.entries(paths)) {
      const isRow = server().app.engine.registry.resources.some((one) => `${one.path}{${one.param}}/` === path);
      if (put && isRow) expect(put.description, put.operationId).toContain('keep their values');
    }
    const { body } = await server().admin.post('/core/groups/', { name: 'kept', attributes: { of: 'before' } });
    const put = await server().admin.put(`/core/groups/${body.pk}/`, { name: 'renamed' });
    expect(put.body.attributes).toEqual({ of: 'before' });
  });

  test('sets no length limits in answers, because stored values may exceed them', async () => {
    const { paths, components } = await read();
    const bounded: string[] = [];
    const bounds = ['minItems', 'maxItems', 'minLength', 'maxLength'];
    const seen = new Set<string>();
    function look(value: unknown, where: string): void {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, inner] of Object.entries(value)) {
        if (bounds.includes(name) && typeof inner === 'number') bounded.push(`${where} ${name}`);
        if (name === '$ref' && typeof inner === 'string' && !seen.has(inner)) {
          seen.add(inner);
          look(components.schemas[inner.split('/').at(-1) ?? ''], inner);
        } else look(inner, where);
      }
    }
    for (const operations of Object.values(paths)) {
      for (const { operationId, responses } of Object.values(operations)) look(responses, operationId);
    }
    expect(bounded).toEqual([]);
  });

  test('allows a prompt stage without prompts in answers, as after its last prompt was deleted', async () => {
    const { admin } = server();
    const prompt = await admin.post('/stages/prompt/prompts/', {
      name: 'lost',
      field_key: 'lost',
      label: 'Lost',
      type: 'text',
    });
    const stage = await admin.post('/stages/prompt/stages/', { name: 'empty soon', fields: [prompt.body.pk] });
    await admin.delete(`/stages/prompt/prompts/${prompt.body.pk}/`);
    const { body } = await admin.get(`/stages/prompt/stages/${stage.body.pk}/`);
    expect(body.fields).toEqual([]);
    const { components } = await read();
    expect(components.schemas.PromptStage?.properties?.fields).not.toHaveProperty('minItems');
    expect(components.schemas.PromptStageRequest?.properties?.fields).toHaveProperty('minItems', 1);
  });

  test('uses the component as the discriminator of challenges', async () => {
    const { components } = await read();
    const { oneOf = [], discriminator } = components.schemas.ChallengeTypes as JsonSchema;
    expect(discriminator?.propertyName).toBe('component');
    const mapping = Object.entries(discriminator?.mapping ?? {});
    expect(mapping.map(([, ref]) => ref).sort()).toEqual(oneOf.map(({ $ref }) => $ref).sort());
    for (const [component, ref] of mapping) {
      const schema = components.schemas[ref.split('/').at(-1) ?? ''];
      expect(schema?.properties?.component?.enum).toEqual([component]);
      expect(schema?.required).toContain('component');
    }
    expect(components.schemas.AccessDeniedChallenge?.required).toEqual(
      expect.arrayContaining(['pending_user', 'pending_user_avatar', 'error_message']),
    );
  });

  test('is also available as OpenAPI 3.0 with the same operations', async () => {
    const [now, before] = [await read(), await read('?version=3.0')];
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(JSON.stringify(before)));
    expect(result.errors ?? []).toEqual([]);
    expect(validator.version).toBe('3.0');
    expect(Object.keys(before.paths)).toEqual(Object.keys(now.paths));
    expect(Object.keys(before.components.schemas)).toEqual(Object.keys(now.components.schemas));
    const text = JSON.stringify(before);
    expect(text).not.toContain('"null"');
    expect(text).not.toMatch(/"type":\[/);
    expect(parse((await server().nobody.get('/schema/?version=3.0&format=yaml')).text)).toEqual(before);
    expect(await read('?version=3.1')).toEqual(now);
    const { status, body } = await server().nobody.get('/schema/?version=2.0');
    expect([status, Object.keys(body)]).toEqual([400, ['version']]);
  });

  test('describes the export of a flow as an object in YAML, as the server sends it', async () => {
    const { paths } = await read();
    const path = '/flows/instances/{slug}/export/';
    const content = paths[path]?.get?.responses[200]?.content ?? {};
    expect(Object.keys(content)).toEqual(['application/yaml']);
    const { text, headers } = await server().admin.get(path.replace('{slug}', 'default-authentication-flow'));
    expect(headers.get('content-type')).toBe('application/yaml');
    const ajv = new Ajv2020({ strict: false });
    expect(
      ajv.validate(content['application/yaml']?.schema as object, parse(text, { logLevel: 'silent' })),
      ajv.errorsText(),
    ).toBe(true);
  });

  test('says that an invalid page size is ignored and that `last` is a page, as the server does', async () => {
    for (const query of ['page_size=null', 'page_size=', 'page_size=-1', 'page_size=x', 'page=last']) {
      const { status, body } = await server().admin.get(`/core/groups/?${query}`);
      expect(status, query).toBe(200);
      expect(body.pagination.current).toBe(1);
    }
    const { parameters = [] } = (await read()).paths['/core/groups/']?.get ?? {};
    const schemaOf = (name: string) => parameters.find((one) => one.name === name)?.schema as object;
    const ajv = new Ajv2020({ strict: false });
    for (const value of ['null', 'x', -1, 20]) expect(ajv.validate(schemaOf('page_size'), value)).toBe(true);
    expect(ajv.validate(schemaOf('page'), 'last')).toBe(true);
  });

  test('sets no limits on filters that the server does not enforce', async () => {
    for (const { parameters } of server().app.operations) {
      for (const { name, schema, in: place } of parameters) {
        if (place === 'query') expect(schema, name).not.toHaveProperty('maxLength');
      }
    }
    const long = 'x'.repeat(2000);
    const { status, body } = await server().admin.get(`/core/groups/?name=${long}`);
    expect([status, body.pagination.count]).toEqual([200, 0]);
    const empty = await server().admin.get('/policies/bindings/?policy=');
    expect(empty.status).toBe(200);
  });

  test('forbids null and empty text where the server refuses them', async () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const wrong: string[] = [];
    for (const { model, allFields } of server().app.engine.registry.resources) {
      const { properties = {} } = requestSchema(allFields, false);
      for (const [name, schema] of Object.entries(properties)) {
        const field = allFields[name];
        if (!field || !isWritable(field)) continue;
        const validate = ajv.compile(schema);
        if (validate(null) && !field.nullable) wrong.push(`${model} ${name}: null`);
        if (validate('') && 'complaint' in field.parse('')) wrong.push(`${model} ${name}: ''`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
