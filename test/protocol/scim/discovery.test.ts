import { beforeAll, expect, test } from 'vitest';
import { describeOnSqlite } from '../../support/server.ts';
import { type ScimClient, scimClient, urns } from './scim-client.ts';

describeOnSqlite('RFC 7644 §4: what a client can find out', (server) => {
  let client: ScimClient;
  beforeAll(async () => {
    client = await scimClient(server());
  });
  const base = () => `${server().world.config.publicUrl}${client.root}`;

  test('RFC 7643 §5: ServiceProviderConfig lists the supported features', async () => {
    const { status, body, headers } = await client.get('/ServiceProviderConfig');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/scim+json']);
    expect(body).toMatchObject({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: { supported: true },
      bulk: { supported: true, maxOperations: 500, maxPayloadSize: 1048576 },
      filter: { supported: true, maxResults: 500 },
      changePassword: { supported: false },
      sort: { supported: true },
      etag: { supported: true },
      authenticationSchemes: [{ type: 'oauthbearertoken', name: 'OAuth Bearer Token' }],
      meta: { location: `${base()}/ServiceProviderConfig` },
    });
  });

  test('RFC 7643 §6: the types of resources; the enterprise extension is not required', async () => {
    const { body } = await client.get('/ResourceTypes');
    expect([body.schemas, body.totalResults, body.itemsPerPage, body.startIndex]).toEqual([[urns.list], 2, 2, 1]);
    const [user, group] = body.Resources;
    expect(user).toMatchObject({
      id: 'User',
      endpoint: '/Users',
      schema: urns.user,
      schemaExtensions: [{ schema: urns.enterprise, required: false }],
      meta: { location: `${base()}/ResourceTypes/User` },
    });
    expect((await client.get('/ResourceTypes/Group')).body).toEqual(group);
    expect((await client.get('/ResourceTypes/Nothing')).body).toMatchObject({ schemas: [urns.error], status: '404' });
  });

  test('RFC 7643 §7: the schemas, each of which can be read alone', async () => {
    const { body } = await client.get('/Schemas');
    expect(body.Resources.map(({ id }: { id: string }) => id)).toEqual([urns.user, urns.group, urns.enterprise]);
    for (const schema of body.Resources) {
      expect((await client.get(`/Schemas/${schema.id}`)).body).toEqual(schema);
      expect(schema.meta.location).toBe(`${base()}/Schemas/${schema.id}`);
    }
    const userName = body.Resources[0].attributes.find(({ name }: { name: string }) => name === 'userName');
    expect(userName).toMatchObject({ required: true, caseExact: false, uniqueness: 'server', mutability: 'readWrite' });
    expect((await client.get('/Schemas/urn:none')).status).toBe(404);
  });

  test('§4: filters are refused at discovery endpoints', async () => {
    for (const path of ['/ServiceProviderConfig', '/ResourceTypes', '/Schemas']) {
      expect((await client.get(`${path}?filter=id%20pr`)).status).toBe(403);
    }
  });

  test('§3.1: the root greets, a slash at the end makes no difference, and all else is not there', async () => {
    expect((await client.get('')).body).toEqual({ message: 'Use this base-URL with a SCIM-compatible system.' });
    expect((await client.get('/')).status).toBe(200);
    expect((await client.get('/Users/')).status).toBe(200);
    for (const path of ['/Nothing', '/Me', '/Users/a/b', '/constructor', '/%E0', '//Users']) {
      const { status, body } = await client.get(path);
      expect([path, status === 404 || status === 400, body.schemas]).toEqual([path, true, [urns.error]]);
    }
    const wrong = await client.send('DELETE', '/Users');
    expect([wrong.status, wrong.headers.get('allow'), wrong.body.schemas]).toEqual([405, 'GET, POST', [urns.error]]);
    expect((await client.send('HEAD', '/Users')).status).toBe(200);
  });

  test('§3.1: bodies and answers are application/scim+json; application/json is taken too', async () => {
    const post = (type: string) => client.send('POST', '/.search', '{}', { 'content-type': type });
    expect((await post('application/scim+json; charset=utf-8')).status).toBe(200);
    expect((await post('application/json')).status).toBe(200);
    expect((await post('text/plain')).body).toMatchObject({ schemas: [urns.error], status: '415' });
    expect((await client.get('/Users', { accept: 'text/html' })).status).toBe(406);
    for (const accept of ['application/json', 'application/scim+json', '*/*', 'application/*']) {
      expect((await client.get('/Users', { accept })).headers.get('content-type')).toBe('application/scim+json');
    }
  });

  test('bodies that are too large or too deep are refused', async () => {
    const deep = `${'['.repeat(50)}${']'.repeat(50)}`;
    expect((await client.send('POST', '/Users', `{"userName":"x","a":${deep}}`)).body.scimType).toBe('invalidSyntax');
    const large = JSON.stringify({ userName: 'x', title: 'x'.repeat(1_100_000) });
    expect((await client.send('POST', '/Users', large)).body).toMatchObject({ schemas: [urns.error], status: '413' });
  });
});
