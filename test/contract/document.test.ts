import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { OpenApiDocument } from '../../src/resource/document/openapi-types.ts';
import { describeOnSqlite } from '../support/server.ts';

describeOnSqlite('the OpenAPI document', (server) => {
  const read = async () => (await server().nobody.get('/schema/')).body as OpenApiDocument;

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(JSON.parse(JSON.stringify(await read())));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  test('describes every operation that is served, each with a unique id', async () => {
    const { paths } = await read();
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
    );
    const served = server().app.operations.map(({ method, path, id }) => `${method} ${path} ${id}`);
    expect(described.sort()).toEqual(served.sort());
    const ids = server().app.operations.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  test('declares the parameters of every path', async () => {
    const { paths } = await read();
    for (const [path, methods] of Object.entries(paths)) {
      const keys = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      for (const { parameters = [] } of Object.values(methods)) {
        expect(parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(keys);
      }
    }
  });

  test('names what lists hold', async () => {
    const { paths, components } = await read();
    const schemaOf = (path: string, method = 'get') =>
      paths[path]?.[method]?.responses[200]?.content?.['application/json']?.schema;
    for (const [name, path, method] of [
      ['App', '/admin/apps/'],
      ['Coordinate', '/core/applications/{slug}/metrics/'],
      ['DetailedCountry', '/policies/geoip_iso3166/'],
      ['Device', '/authenticators/all/'],
      ['EventTopPerUser', '/events/events/top_per_user/'],
      ['OutpostHealth', '/outposts/instances/{uuid}/health/'],
      ['PermissionAssignResult', '/rbac/permissions/assigned_by_roles/{uuid}/assign/', 'post'],
      ['SourceType', '/sources/oauth/source_types/'],
      ['UserSetting', '/sources/all/user_settings/'],
    ] as const) {
      const items = { $ref: `#/components/schemas/${name}` };
      expect([path, schemaOf(path, method)]).toEqual([path, expect.objectContaining({ type: 'array', items })]);
      expect([name, components.schemas[name]?.type]).toEqual([name, 'object']);
    }
  });

  test('contains no unused schema', async () => {
    const document = await read();
    const text = JSON.stringify(document);
    const names = Object.keys(document.components.schemas);
    expect(names.filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([]);
  });

  test('is sent as JSON or YAML according to the query or the Accept header', async () => {
    const { nobody } = server();
    const document = await read();
    const yaml = await nobody.get('/schema/?format=yaml');
    expect(parse(yaml.text)).toEqual(document);
    for (const [path, accept, type] of [
      ['/schema/', '*/*', 'application/json'],
      ['/schema/?format=json', 'application/yaml', 'application/json'],
      ['/schema/?format=yaml', 'application/json', 'application/yaml'],
      ['/schema/', 'application/vnd.oai.openapi', 'application/vnd.oai.openapi'],
      ['/schema/', 'application/yaml', 'application/yaml'],
      ['/schema/', 'application/vnd.oai.openapi+json', 'application/vnd.oai.openapi+json'],
    ] as const) {
      const answer = await nobody.get(path, { accept });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
      if (type.endsWith('json')) expect(JSON.parse(answer.text)).toEqual(document);
      else expect(answer.text).toBe(yaml.text);
    }
    expect((await nobody.get('/schema/?format=xml')).status).toBe(404);
  });

  test('is answered with 304 when If-None-Match matches', async () => {
    const { nobody } = server();
    for (const format of ['json', 'yaml']) {
      const first = await nobody.get(`/schema/?format=${format}`);
      const again = await nobody.get(`/schema/?format=${format}`, { 'if-none-match': first.headers.get('etag') ?? '' });
      expect([again.status, again.text]).toEqual([304, '']);
    }
  });
});
