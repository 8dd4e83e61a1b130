import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { newKey, numbered } from '../support/many-rows.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';

const many = 12_000;
const everyRare = 1_700;

/** All have `qvx` in their names, and a few `zjk`. Names are not stored in their order. */
async function addUsers({ world: { db } }: TestServer): Promise<void> {
  const text = db.dialect.toText;
  await db.write((tx) =>
    sql`insert into users (uuid, username, name, email, password_change_date, is_active, date_joined, path, type, attributes)
      ${numbered(db.dialect, 1, many)} select ${db.dialect.name === 'sqlite' ? sql`'u' || i` : sql`gen_random_uuid()`},
        ${text(sql`i * 7919 % 999983`)} || '-qvx', case when i % ${everyRare} = 0 then 'ZJK' else '' end, '',
        '2026-01-01T00:00:00Z', i % 2 = 0, '2026-01-01T00:00:00Z', 'users', 'internal', '{}' from n`.execute(tx),
  );
}

async function page({ admin }: TestServer, query: string) {
  const { status, body, headers } = await admin.get(`/core/users/?include_groups=false&${query}`);
  expect(status).toBe(200);
  expect(headers.get('gatehouse-count')).toBeNull();
  return { ...body.pagination, names: body.results.map(({ username }: { username: string }) => username) };
}

async function stored({ world: { db } }: TestServer, where: ReturnType<typeof sql>): Promise<string[]> {
  const found = sql<{ username: string }>`select username from users where ${where} order by username`;
  return (await found.execute(db.read)).rows.map(({ username }) => username);
}

describeOnBoth('searches of large tables', (server) => {
  beforeAll(() => addUsers(server()));

  test('find all rows in order and count them, however many letters and however many rows', async () => {
    const all = await stored(server(), sql`username like '%qvx'`);
    expect(all.length).toBe(many);
    for (const term of ['qv', 'QVX', 'qvx -qv', 'qvx q']) {
      const first = await page(server(), `search=${encodeURIComponent(term)}&page_size=50`);
      expect([first.count, first.names]).toEqual([many, all.slice(0, 50)]);
      const third = await page(server(), `search=${encodeURIComponent(term)}&page_size=50&page=3`);
      expect([third.count, third.names]).toEqual([many, all.slice(100, 150)]);
      const last = await page(server(), `search=${encodeURIComponent(term)}&page_size=70&page=last`);
      expect([last.count, last.names]).toEqual([many, all.slice(Math.floor(many / 70) * 70)]);
    }
    const few = await stored(server(), sql`name = 'ZJK'`);
    expect(few.length).toBeGreaterThan(5);
    for (const term of ['zj', 'zjk', 'qvx zjk', 'qvx zj']) {
      const first = await page(server(), `search=${term}&page_size=5`);
      expect([first.count, first.names]).toEqual([few.length, few.slice(0, 5)]);
      const second = await page(server(), `search=${term}&page_size=5&page=2`);
      expect([second.count, second.names]).toEqual([few.length, few.slice(5)]);
    }
    const active = await stored(server(), sql`username like '%qvx' and is_active`);
    const filtered = await page(server(), 'search=qvx&is_active=true&page_size=20');
    expect([filtered.count, filtered.names]).toEqual([active.length, active.slice(0, 20)]);
    const named = await page(server(), 'search=qvx&name=ZJK&page_size=2');
    expect([named.count, named.names]).toEqual([few.length, few.slice(0, 2)]);
    expect(await page(server(), 'search=qjx&page_size=5')).toMatchObject({ count: 0, names: [] });
    expect((await server().admin.get('/core/users/?search=zjk&page_size=5&page=9')).status).toBe(404);
  });

  test('find the nearest names first in the search over all kinds', async () => {
    const all = await stored(server(), sql`username like '%qvx'`);
    const { body } = await server().admin.get('/admin/objects/?search=qvx');
    expect(body.map(({ name }: { name: string }) => name)).toEqual(all.slice(0, 5));
    const { body: exact } = await server().admin.get(`/admin/objects/?search=${all.at(-1)}`);
    expect(exact[0]).toMatchObject({ name: all.at(-1) });
  });

  test('see changes at once', async () => {
    const { count } = await page(server(), 'search=qvx&page_size=5');
    const made = await server().admin.post('/core/users/', { username: '0-qvx-new', name: 'New' });
    expect(made.status).toBe(201);
    const after = await page(server(), 'search=qvx&page_size=5');
    expect([after.count, after.names[0]]).toEqual([count + 1, '0-qvx-new']);
  });

  test('find frequent and rare words of events in a period', async () => {
    const { db } = server().world;
    const start = '2026-01-01T00:00:00.000000Z';
    const at =
      db.dialect.name === 'sqlite'
        ? sql`strftime('%Y-%m-%dT%H:%M:%f', ${start}, i || ' minutes') || '000Z'`
        : sql`cast(${start} as timestamptz) + i * interval '1 minute'`;
    await db.write((tx) =>
      sql`insert into events (pk, "user", username, action, app, context, created, expires, brand, words)
        ${numbered(db.dialect, 0, many - 1)} select ${newKey(db.dialect)}, '{}', '', 'custom_test', 'test', '{}', ${at},
          '2099-01-01T00:00:00.000000Z', '{}', case when i % ${everyRare} = 0 then 'oldcorp rarely' else 'oldcorp' end from n`.execute(
        tx,
      ),
    );
    const count = async (search: string) => {
      const query = `search=${search}&created__gte=${start}&created__lt=2026-01-03T00:00`;
      const { body } = await server().admin.get(`/events/events/?${query}&page_size=5`);
      const facets = await server().admin.get(`/events/events/facets/?${query}`);
      const charted = facets.body.counts.reduce((sum: number, one: number) => sum + one, 0);
      return [body.pagination.count, charted, body.results.length];
    };
    expect(await count('oldcorp')).toEqual([2_880, 2_880, 5]);
    expect(await count('rarely')).toEqual([2, 2, 2]);
    const { text } = await server().admin.get('/events/events/export/?search=rarely&as=csv');
    expect(text.trim().split('\r\n')).toHaveLength(1 + Math.ceil(many / everyRare));
  });
});
