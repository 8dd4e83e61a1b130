import { expect, test } from 'vitest';
import { spellOut } from '../../src/lib/spell-out.ts';
import type { JsonSchema } from '../../src/resource/document/json-schema.ts';
import type { OpenApiDocument } from '../../src/resource/document/openapi-types.ts';
import { describeOnSqlite } from '../support/server.ts';

const kinds = [
  'text',
  'choice',
  'flag',
  'number',
  'time',
  'duration',
  'reference',
  'references',
  'expression',
  'secret',
  'json',
  'file',
  'list',
];

/** What people answer in a flow is shown by the screens of flows, not by forms. */
const flowAnswers = 'flows_executor_solve';
/** Any object that policies can be bound to: no one list has them all. */
const listless = ['svc_policies.policybindingmodel'];

describeOnSqlite('x-field in the OpenAPI document', (server) => {
  async function read() {
    const document = (await server().nobody.get('/schema/')).body as OpenApiDocument;
    const bodies = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).flatMap(({ operationId, requestBody }) =>
        Object.values(requestBody?.content ?? {}).map(({ schema }) => [operationId, schema] as const),
      ),
    );
    const membersOf = (schema: JsonSchema) =>
      Object.entries(
        (schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema)?.properties ?? {},
      );
    return { document, bodies: bodies.filter(([id]) => id !== flowAnswers), membersOf };
  }

  test('describes every member of every body for forms, with a help text, if not in the form in the documents', async () => {
    const { bodies, membersOf } = await read();
    const lacking: string[] = [];
    for (const [id, schema] of bodies) {
      for (const [name, { 'x-field': note, description }] of membersOf(schema)) {
        if (!note || !kinds.includes(note.kind) || !note.label || !(note.help || description))
          lacking.push(`${id} ${name}`);
      }
    }
    expect(bodies.length).toBeGreaterThan(150);
    expect(lacking).toEqual([]);
  });

  test('names the model of every reference and the path that lists its objects', async () => {
    const { document, bodies, membersOf } = await read();
    const lacking: string[] = [];
    let references = 0;
    for (const [id, schema] of bodies) {
      for (const [name, { 'x-field': note }] of membersOf(schema)) {
        if (!note?.kind.startsWith('reference')) continue;
        references++;
        const isListed = note.list !== undefined && document.paths[note.list]?.get !== undefined;
        if (!note.model || !(isListed || listless.includes(note.model))) lacking.push(`${id} ${name}`);
      }
    }
    expect(references).toBeGreaterThan(100);
    expect(lacking).toEqual([]);
  });

  test('describes every readable field of every resource', async () => {
    const { document } = await read();
    for (const { schema, keyName, allFields } of server().app.engine.registry.resources) {
      const { properties = {} } = document.components.schemas[schema] ?? {};
      for (const [name, { 'x-field': note }] of Object.entries(properties)) {
        if (name !== keyName && !allFields[name]) continue;
        expect(kinds, `${schema} ${name}`).toContain(note?.kind);
      }
    }
  });

  test('gives kind, label, group and help of a text, a reference and a secret', async () => {
    const { document } = await read();
    const { properties = {} } = document.components.schemas.OAuthSourceRequest ?? {};
    expect(properties.oidc_jwks_url?.['x-field']).toEqual({
      kind: 'text',
      label: 'OIDC JWKS URL',
      group: 'Endpoints',
      help: 'Where the service publishes its keys.',
    });
    expect(properties.authentication_flow?.['x-field']).toMatchObject({
      kind: 'reference',
      model: 'svc_flows.flow',
      list: '/flows/instances/',
    });
    expect(properties.consumer_secret?.['x-field']).toMatchObject({ kind: 'secret', label: 'Client secret' });
  });

  test('labels values only where the label does not follow from the value', async () => {
    const { document, bodies, membersOf } = await read();
    const shown = Object.entries(document.components.schemas);
    const filters = Object.entries(document['x-resources']).flatMap(([path, resource]) =>
      resource.filters.map(({ name, choices = [], labels }) => ({ place: `${path} ${name}`, choices, labels })),
    );
    const members = [...bodies, ...shown].flatMap(([id, schema]) =>
      membersOf(schema).map(([name, member]) => ({
        place: `${id} ${name}`,
        choices: choicesOf(member),
        labels: member['x-field']?.labels,
      })),
    );
    const wrong = [...filters, ...members].flatMap(({ place, choices, labels = {} }) =>
      Object.entries(labels)
        .filter(([value, label]) => !choices.includes(value) || label === spellOut(value))
        .map(([value]) => `${place}: ${value}`),
    );
    expect(wrong).toEqual([]);
    const labelled = [...filters, ...members].filter(({ labels }) => labels);
    expect(labelled.length).toBeGreaterThan(30);
  });
});

const choicesOf = ({ enum: values, items, anyOf = [] }: JsonSchema): unknown[] => [
  ...(values ?? []),
  ...(items?.enum ?? []),
  ...anyOf.flatMap(choicesOf),
];
