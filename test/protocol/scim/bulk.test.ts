import { beforeAll, expect, test } from 'vitest';
import { unique } from '../../api/sources/fixtures.ts';
import { describeOnBoth } from '../../support/server.ts';
import { type ScimClient, scimClient, urns } from './scim-client.ts';

describeOnBoth('RFC 7644 §3.7: bulk operations', (server) => {
  let client: ScimClient;
  beforeAll(async () => {
    client = await scimClient(server());
  });
  const bulk = (Operations: unknown, more: object = {}) =>
    client.send('POST', '/Bulk', { schemas: [urns.bulk], Operations, ...more });
  const newUser = (bulkId: string) => ({
    method: 'POST',
    path: '/Users',
    bulkId,
    data: { schemas: [urns.user], userName: unique('bulk') },
  });

  test('§3.7.2: what one operation creates others may name, also before it', async () => {
    const displayName = unique('bulk');
    const { status, body } = await bulk([
      {
        method: 'POST',
        path: '/Groups',
        bulkId: 'g',
        data: { displayName, members: [{ value: 'bulkId:a' }, { value: 'bulkId:b' }] },
      },
      newUser('a'),
      newUser('b'),
      { method: 'PATCH', path: '/Users/bulkId:a', data: { Operations: [{ op: 'add', path: 'title', value: 'x' }] } },
    ]);
    expect(status).toBe(200);
    expect(body.schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:BulkResponse']);
    const [group, a, b, patched] = body.Operations;
    expect(body.Operations.map((one: { status: string }) => one.status)).toEqual(['201', '201', '201', '200']);
    expect(a).toEqual({
      method: 'POST',
      bulkId: 'a',
      location: expect.stringContaining(`${client.root}/Users/`),
      version: expect.stringMatching(/^W\//),
      status: '201',
    });
    const idOf = ({ location }: { location: string }) => location.split('/').at(-1) ?? '';
    const members = (await client.get(`/Groups/${idOf(group)}`)).body.members;
    expect(members.map(({ value }: { value: string }) => value).sort()).toEqual([idOf(a), idOf(b)].sort());
    expect(patched.location).toBe(a.location);
    expect((await client.get(`/Users/${idOf(a)}`)).body.title).toBe('x');
  });

  test('§3.7.3: errors are told one by one, and failOnErrors stops after so many', async () => {
    const wrong = { ...newUser('w'), data: {} };
    const all = (await bulk([wrong, newUser('ok'), wrong])).body.Operations;
    expect(all.map((one: { status: string }) => one.status)).toEqual(['400', '201', '400']);
    expect(all[0]).toEqual({
      method: 'POST',
      bulkId: 'w',
      status: '400',
      response: { schemas: [urns.error], status: '400', scimType: 'invalidValue', detail: expect.any(String) },
    });
    const stopped = (await bulk([wrong, newUser('never')], { failOnErrors: 1 })).body.Operations;
    expect(stopped.map((one: { status: string }) => one.status)).toEqual(['400']);
  });

  test('§3.7: an operation may be guarded by a version, and names only users and groups', async () => {
    const made = await client.user();
    const remove = { method: 'DELETE', path: `/Users/${made.id}` };
    const results = await bulk([
      { ...remove, version: 'W/"old"' },
      { ...remove, version: made.meta.version },
      { method: 'GET', path: `/Users/${made.id}` },
      { method: 'POST', path: '/Bulk', bulkId: 'x', data: {} },
      { method: 'POST', path: '/Users/.search/x', bulkId: 'x', data: {} },
      { method: 'POST', path: '/Users', data: { userName: unique('none') } },
      { method: 'PATCH', path: '/Users/bulkId:nothing', data: {} },
      { method: 'PATCH', path: '/Groups/bulkId:circle', bulkId: 'circle', data: {} },
    ]);
    expect(results.body.Operations.map((one: { status: string }) => one.status)).toEqual([
      ...['412', '204', '400', '400', '400', '400', '409', '409'],
    ]);
  });

  test('§3.7.4: too many operations are refused', async () => {
    const many = await bulk(Array(501).fill({ method: 'DELETE', path: '/Users/x' }));
    expect([many.status, many.body.scimType]).toEqual([413, 'tooMany']);
    expect((await bulk('none')).body.scimType).toBe('invalidSyntax');
    expect((await bulk([5])).body.scimType).toBe('invalidSyntax');
  });
});
