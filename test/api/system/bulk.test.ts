import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eventsDuring } from '../../support/events.ts';
import { grantOn } from '../../support/grants.ts';
import { unique } from '../../support/make-walk.ts';
import { describeOnBoth } from '../../support/server.ts';

describeOnBoth('admin_bulk_create', (server) => {
  const newGroup = async (values: Record<string, unknown> = {}) =>
    (await server().admin.post('/core/groups/', { name: unique('group'), ...values })).body;
  const pathOf = ({ pk }: { pk: string }) => `/core/groups/${pk}/`;
  const read = async (group: { pk: string }) => (await server().admin.get(pathOf(group))).body;

  test('changes and deletes each object by itself, with its own result and event', async () => {
    const { admin } = server();
    const [one, other, third] = [await newGroup(), await newGroup(), await newGroup()];
    const writes = [
      { path: pathOf(one), changes: { attributes: { floor: 1 } } },
      // A group is not below itself.
      { path: pathOf(other), changes: { parent: other.pk } },
      { path: pathOf(third), delete: true },
      { path: '/core/groups/00000000-0000-4000-8000-000000000000/', delete: true },
      { path: '/no/such/list/', delete: true },
      { path: '/rbac/permissions/1/', delete: true },
    ];
    const single = await admin.patch(pathOf(other), { parent: other.pk });
    let answer = await admin.get('/admin/version/');
    const events = await eventsDuring(server(), async () => {
      answer = await admin.post('/admin/bulk/', { writes });
    });
    const { results } = answer.body;
    expect(results.map(({ status }: { status: number }) => status)).toEqual([200, 400, 204, 404, 404, 405]);
    expect(results[0]).toEqual({ path: pathOf(one), status: 200, body: await read(one) });
    expect([results[0].body.attributes, results[1].body, results[2].body]).toEqual([{ floor: 1 }, single.body, null]);
    expect(results[3].body).toEqual({ detail: 'Not found.', code: 'not_found' });
    expect((await admin.get(pathOf(third))).status).toBe(404);
    expect(events.map(({ action, context }) => [action, context.model.name])).toEqual([
      ['model_updated', one.name],
      ['model_deleted', third.name],
    ]);
  });

  test('a fault in one write is its own result, and the others stand', async () => {
    const { admin, world } = server();
    const [one, other, third] = [await newGroup(), await newGroup(), await newGroup()];
    const trigger = unique('fault').replaceAll('-', '_');
    await world.db.write(async (tx) => {
      for (const statement of faultFor(world.db.dialect.name, trigger, other.pk)) await sql.raw(statement).execute(tx);
    });
    const writes = [one, other, third].map((group) => ({ path: pathOf(group), changes: { attributes: { a: 1 } } }));
    const { status, body, headers } = await admin.post('/admin/bulk/', { writes });
    expect([status, body.results.map((result: { status: number }) => result.status)]).toEqual([200, [200, 500, 200]]);
    expect(body.results[1]).toEqual({
      path: pathOf(other),
      status: 500,
      body: {
        detail: 'The server met a fault. It is recorded under the request id.',
        code: 'internal_error',
        request_id: headers.get('x-request-id'),
      },
    });
    const stored = [await read(one), await read(other), await read(third)];
    expect(stored.map(({ attributes }) => attributes)).toEqual([{ a: 1 }, {}, { a: 1 }]);
    expect((await admin.post('/admin/bulk/', { writes, atomic: true })).status).toBe(500);
  });

  test('writes nothing in a dry run, and says what refers to what would be deleted', async () => {
    const { admin } = server();
    const [one, other] = [await newGroup(), await newGroup()];
    const below = await newGroup({ parent: one.pk });
    const member = await server().user([], { groups: [one.pk, other.pk] });
    const writes = [one, other].map((group) => ({ path: pathOf(group), delete: true }));
    const { body } = await admin.post('/admin/bulk/?dry_run=true', { writes });
    const single = await Promise.all([one, other].map((group) => admin.get(`${pathOf(group)}used_by/`)));
    expect(body.results.map(({ used_by }: { used_by: unknown }) => used_by)).toEqual(single.map((each) => each.body));
    const names = body.results.map(({ used_by }: { used_by: { name: string }[] }) => used_by.map(({ name }) => name));
    expect(names[0]).toContain(below.name);
    expect(names[1]).toEqual([member.username]);
    expect((await read(one)).pk).toBe(one.pk);
    const changed = await admin.post('/admin/bulk/?dry_run=true', {
      writes: [{ path: pathOf(one), changes: { attributes: { a: 1 } } }],
    });
    expect(changed.body.results[0].body.attributes).toEqual({ a: 1 });
    expect((await read(one)).attributes).toEqual({});
  });

  test('writes all or nothing where that is asked for', async () => {
    const { admin } = server();
    const [one, other] = [await newGroup(), await newGroup()];
    const good = { path: pathOf(one), changes: { attributes: { a: 1 } } };
    const bad = { path: pathOf(other), changes: { name: one.name } };
    const last = { path: pathOf(other), delete: true };
    const events = await eventsDuring(server(), async () => {
      const { status, body } = await admin.post('/admin/bulk/', { writes: [good, bad, last], atomic: true });
      expect([status, body.results.map(({ status }: { status: number }) => status)]).toEqual([200, [424, 400, 424]]);
      expect(body.results[0].body.code).toBe('not_written');
    });
    expect([events, (await read(one)).attributes]).toEqual([[], {}]);
    const tried = await admin.post('/admin/bulk/?dry_run=true', { writes: [good, last], atomic: true });
    expect(tried.body.results.map(({ status }: { status: number }) => status)).toEqual([200, 204]);
    expect([(await read(one)).attributes, (await read(other)).pk]).toEqual([{}, other.pk]);
    const done = await admin.post('/admin/bulk/', { writes: [good, last], atomic: true });
    expect(done.body.results.map(({ status }: { status: number }) => status)).toEqual([200, 204]);
    expect([(await read(one)).attributes, (await admin.get(pathOf(other))).status]).toEqual([{ a: 1 }, 404]);
  });

  test('asks for the rights to each object, and leaves no last superuser out', async () => {
    const { admin, user } = server();
    const [mine, seen, hidden] = [await newGroup(), await newGroup(), await newGroup()];
    const delegate = await user();
    for (const right of ['view_group', 'change_group'])
      await grantOn(server(), delegate.pk, `svc_core.${right}`, mine.pk);
    await grantOn(server(), delegate.pk, 'svc_core.view_group', seen.pk);
    const writes = [mine, seen, hidden].map((group) => ({ path: pathOf(group), changes: { attributes: { a: 1 } } }));
    const { body } = await delegate.api.post('/admin/bulk/', {
      writes: [...writes, { path: pathOf(mine), delete: true }],
    });
    expect(body.results.map(({ status }: { status: number }) => status)).toEqual([200, 403, 404, 403]);
    expect((await read(seen)).attributes).toEqual({});
    const { results } = (await admin.get('/core/groups/?is_superuser=true')).body;
    const all = results.map((group: { pk: string }) => ({ path: pathOf(group), delete: true }));
    for (const atomic of [true, false]) {
      const answer = await admin.post('/admin/bulk/?dry_run=true', { writes: all, atomic });
      expect(answer.body.results.some(({ status }: { status: number }) => status === 400)).toBe(true);
    }
  });

  test('compares states, refuses unknown members where asked to, and takes what takes a person from no other user', async () => {
    const { admin } = server();
    const group = await newGroup();
    const etag = (await admin.get(pathOf(group))).headers.get('etag');
    const write = (floor: number) => ({ path: pathOf(group), changes: { attributes: { floor } }, if_match: etag });
    const { body } = await admin.post('/admin/bulk/', { writes: [write(1), write(2)] });
    expect(body.results.map(({ status }: { status: number }) => status)).toEqual([200, 412]);
    const strict = { prefer: 'handling=strict' };
    const misspelt = { path: pathOf(group), changes: { attribute: {} } };
    const refused = await admin.post('/admin/bulk/', { writes: [misspelt] }, strict);
    expect(refused.body.results[0]).toMatchObject({
      status: 400,
      body: { attribute: [expect.stringContaining('attributes')] },
    });
  });

  test.each([
    ['no writes', { writes: [] }],
    ['too many writes', { writes: Array.from({ length: 101 }, () => ({ path: '/core/groups/x/', delete: true })) }],
    ['a write without a path', { writes: [{ delete: true }] }],
    ['a write that does nothing', { writes: [{ path: '/core/groups/x/' }] }],
    ['a write that does both', { writes: [{ path: '/core/groups/x/', changes: {}, delete: true }] }],
    ['changes that are no object', { writes: [{ path: '/core/groups/x/', changes: [] }] }],
    ['a write that is no object', { writes: ['/core/groups/x/'] }],
  ])('refuses %s', async (_, request) => {
    const { status, body } = await server().admin.post('/admin/bulk/', request);
    expect([status, Object.keys(body)]).toEqual([400, ['writes']]);
  });
});

/** Makes the database fail when a group is changed. */
function faultFor(database: string, name: string, pk: string): string[] {
  if (database === 'sqlite')
    return [
      `create trigger ${name} before update on groups when new.pk = '${pk}' begin select raise(abort, 'broken'); end`,
    ];
  return [
    `create function ${name}() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$`,
    `create trigger ${name} before update on groups for each row when (new.pk = '${pk}') execute function ${name}()`,
  ];
}
