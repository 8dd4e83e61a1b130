import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { fillSearchIndexes } from '../../src/core/search/fill-search.job.ts';
import { countFound, estimateFrom, findKeys, type Scan, sample } from '../../src/platform/db/scan.ts';
import { newKey, numbered } from '../support/many-rows.ts';
import { describeOnBoth, type TestServer } from '../support/server.ts';
import { sqlitePlansOf } from '../support/sqlite-plans.ts';
import { statementsOf } from '../support/statements.ts';

const many = 12_000;
const everyRare = 1_700;

/** Most have `qv` in their names, which no other user has, and a few `zj`. Names are not stored in their order. */
async function fill(
  { world: { db }, app }: TestServer,
  from = 1,
  to = many,
  before = '',
  after = '-qvx',
): Promise<void> {
  const text = db.dialect.toText;
  await db.write(async (tx) => {
    await sql`insert into users (uuid, username, name, email, password_change_date, is_active, date_joined, path, type, attributes)
      ${numbered(db.dialect, from, to)} select ${db.dialect.name === 'sqlite' ? sql`'u' || i` : sql`gen_random_uuid()`},
        ${sql.lit(before)} || ${text(sql`i * 7919 % 999983`)} || ${sql.lit(after)}, case when i % ${everyRare} = 0 then 'ZJ' else '' end, '',
        '2026-01-01T00:00:00Z', true, '2026-01-01T00:00:00Z', 'users', 'internal', '{}' from n`.execute(tx);
  });
  // Otherwise it depends on a job whether a term looks rare.
  await fillSearchIndexes(db, app.engine.registry);
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
  beforeAll(() => fill(server()));

  test('find all rows in order and count them exactly, however many letters and however many rows', async () => {
    const all = await stored(server(), sql`username like '%qvx'`);
    expect(all.length).toBe(many);
    for (const term of ['qv', 'QVX', 'qv -q']) {
      const first = await page(server(), `search=${encodeURIComponent(term)}&page_size=50`);
      expect([first.count, first.names]).toEqual([many, all.slice(0, 50)]);
      const third = await page(server(), `search=${encodeURIComponent(term)}&page_size=50&page=3`);
      expect([third.count, third.names]).toEqual([many, all.slice(100, 150)]);
      const last = await page(server(), `search=${encodeURIComponent(term)}&page_size=70&page=last`);
      expect([last.count, last.names]).toEqual([many, all.slice(Math.floor(many / 70) * 70)]);
    }
    // The administrator's address has the letter too; what is cached is the count of other terms.
    const others = await stored(server(), sql`username like '%x%' or email like '%x%'`);
    expect(others.length).toBeGreaterThan(many);
    expect((await page(server(), 'search=x&page_size=5')).count).toBe(others.length);
    const few = await stored(server(), sql`name = 'ZJ'`);
    expect(few.length).toBeGreaterThan(5);
    for (const term of ['zj', 'qv zj']) {
      const first = await page(server(), `search=${term}&page_size=5`);
      expect([first.count, first.names]).toEqual([few.length, few.slice(0, 5)]);
      const second = await page(server(), `search=${term}&page_size=5&page=2`);
      expect([second.count, second.names]).toEqual([few.length, few.slice(5)]);
    }
    const filtered = await page(server(), 'search=qv&name=ZJ&page_size=2');
    expect([filtered.count, filtered.names]).toEqual([few.length, few.slice(0, 2)]);
    expect(await page(server(), 'search=qj&page_size=5')).toMatchObject({ count: 0, names: [] });
    expect((await server().admin.get('/core/users/?search=zj&page_size=5&page=9')).status).toBe(404);
  });

  test('see changes at once', async () => {
    const { count } = await page(server(), 'search=qv&page_size=5');
    const made = await server().admin.post('/core/users/', { username: '0-qv-new', name: 'New' });
    expect(made.status).toBe(201);
    const after = await page(server(), 'search=qv&page_size=5');
    expect([after.count, after.names[0]]).toEqual([count + 1, '0-qv-new']);
  });
});

describeOnBoth('searches of tables with more than 100,000 rows', (server) => {
  beforeAll(async () => {
    for (let from = 0; from < 102_000; from += 17_000) await fill(server(), from + 1, from + 17_000);
  });

  test('estimate what takes too long to count', async () => {
    const { db } = server().world;
    const total = async () => (await stored(server(), sql`1 = 1`)).length;
    const scan: Scan = {
      ...{ read: db.read, dialect: db.dialect, table: 'users' },
      where: () => db.dialect.contains(sql.ref('t.username'), 'qv'),
    };
    const exact = await countFound(scan, total);
    expect(exact).toEqual({ rows: (await stored(server(), sql`username like '%qv%'`)).length, isExact: true });
    const estimate = await countFound(scan, total, 1);
    expect(estimate.isExact).toBe(false);
    expect(Math.abs(estimate.rows - exact.rows)).toBeLessThan(exact.rows / 10);
    const all = await total();
    let some = { seen: 0, found: 0 };
    const statements = await statementsOf(server(), async () => {
      some = await sample(scan, all * 4);
    });
    // What the condition looks up elsewhere is not looked up for each slice.
    expect(statements.filter((text) => text.includes('filter (where'))).toHaveLength(1);
    // A quarter on SQLite, and about as much on PostgreSQL, which takes whole pages.
    expect([some.seen > 1_000, some.seen < all]).toEqual([true, true]);
    expect(Math.abs(estimateFrom(some, all) - exact.rows)).toBeLessThan(exact.rows / 10);
    expect(await findKeys(scan, exact.rows - 1)).toBeNull();
    expect(await findKeys(scan, exact.rows)).toHaveLength(exact.rows);
  });

  test('estimate how many rows have a frequent term, and say so', async () => {
    const all = await stored(server(), sql`username like '%qv%'`);
    const { body, headers } = await server().admin.get('/core/users/?include_groups=false&search=qv&page_size=50');
    expect(headers.get('gatehouse-count')).toBe('estimate');
    expect(body.results.map(({ username }: { username: string }) => username)).toEqual(all.slice(0, 50));
    expect(Math.abs(body.pagination.count - all.length)).toBeLessThan(all.length / 20);
    expect(body.pagination.next).toBe(2);
    if (server().world.db.dialect.name === 'sqlite') {
      for (const path of ['/core/users/?search=qv&page_size=50', '/admin/objects/?search=qv']) {
        const [[statement, plan] = []] = await sqlitePlansOf(server(), path, 'order by "t"."username"');
        expect(plan, statement).toContain('SCAN t USING COVERING INDEX users_compared');
      }
    }
    // What is rare is counted.
    const few = await stored(server(), sql`name = 'ZJ'`);
    const rare = await page(server(), 'search=zj&page_size=5');
    expect([rare.count, rare.names]).toEqual([few.length, few.slice(0, 5)]);
  });

  test('find a frequent name whose users all come late in the list', async () => {
    await fill(server(), 200_000, 211_000, 'zwk-', '');
    const all = await stored(server(), sql`username like 'zwk-%'`);
    const found = async (query: string) => {
      const { status, body, headers } = await server().admin.get(
        `/core/users/?include_groups=false&search=zwk${query}`,
      );
      expect(status, query).toBe(200);
      // Filtered rows are counted on SQLite.
      if (!query.includes('is_active')) expect(headers.get('gatehouse-count'), query).toBe('estimate');
      return body.results.map(({ username }: { username: string }) => username);
    };
    expect(await found('&page_size=50')).toEqual(all.slice(0, 50));
    expect(await found('&page_size=50&page=3')).toEqual(all.slice(100, 150));
    expect(await found('&page_size=700&page=2')).toEqual(all.slice(700, 1_400));
    expect(await found('&page_size=50&ordering=-username')).toEqual(all.toReversed().slice(0, 50));
    expect(await found('+wk-&page_size=50&is_active=true&page=2')).toEqual(all.slice(50, 100));
    const last = await found('&page_size=50&page=last');
    expect(last).toEqual(all.slice(-last.length));
    const { body } = await server().admin.get('/admin/objects/?search=zwk');
    expect(body.map(({ name }: { name: string }) => name)).toEqual(all.slice(0, 5));
  });
});

/** One a minute, back from now; stored in the order of time. */
async function addEvents(
  { world: { db } }: TestServer,
  count: number,
  minutesAgo: number,
  words: string,
): Promise<void> {
  const at =
    db.dialect.name === 'sqlite'
      ? sql`strftime('%Y-%m-%dT%H:%M:%f', '2026-01-01T00:00:00Z', (i - ${sql.lit(minutesAgo)}) || ' minutes') || '000Z'`
      : sql`cast('2026-01-01T00:00:00Z' as timestamptz) + (i - ${sql.lit(minutesAgo)}) * interval '1 minute'`;
  await db.write((tx) =>
    sql`insert into events (pk, "user", username, action, app, context, created, expires, brand, words)
      ${numbered(db.dialect, 1, count)} select ${newKey(db.dialect)}, '{}', '', 'custom_test', 'test', '{}', ${at},
        '2099-01-01T00:00:00.000000Z', '{}', ${sql.lit(words)} from n`.execute(tx),
  );
}

describeOnBoth('searches of more than 100,000 events', (server) => {
  test('find a frequent word that only old ones have, and new ones as soon as they are there', async () => {
    const { world, app, admin } = server();
    await addEvents(server(), 2_000, 300_000, 'before');
    await addEvents(server(), 11_000, 200_000, 'long ago: oldcorp');
    for (let minutesAgo = 150_000; minutesAgo > 60_000; minutesAgo -= 15_000)
      await addEvents(server(), 15_000, minutesAgo, 'nothing');
    await fillSearchIndexes(world.db, app.engine.registry);
    const list = async (query: string) => {
      const { status, body, headers } = await admin.get(`/events/events/?search=oldcorp${query}`);
      expect([status, headers.get('gatehouse-count')], query).toEqual([200, 'estimate']);
      return body.results.map(({ pk }: { pk: string }) => pk);
    };
    const all = async () => {
      const { rows } = await sql<{ pk: string }>`select pk from events where words like '%oldcorp%'
        order by created desc, pk`.execute(world.db.read);
      return rows.map(({ pk }) => pk);
    };
    const compare = async () => {
      const expected = await all();
      expect(await list('&page_size=20')).toEqual(expected.slice(0, 20));
      expect(await list('+ol&page_size=30&page=4')).toEqual(expected.slice(90, 120));
      expect(await list('&page_size=20&ordering=created')).toEqual(expected.toReversed().slice(0, 20));
      const last = await list('&page_size=20&page=last');
      expect(last).toEqual(expected.slice(-last.length));
      return expected;
    };
    await compare();
    if (world.db.dialect.name === 'sqlite') {
      const plans = await sqlitePlansOf(
        server(),
        '/events/events/?search=oldcorp&page_size=20',
        '"t"."words" like ? escape',
      );
      const [statement, plan] = plans.at(-1) ?? [];
      expect(plan, statement).toContain('SCAN t USING INDEX events_created');
      expect(statement).toContain('case when t.rowid <');
    }
    // These wait to be indexed.
    await addEvents(server(), 30, 40_000, 'oldcorp again');
    expect((await compare()).length).toBe(11_030);
    await fillSearchIndexes(world.db, app.engine.registry);
    await compare();
  });
});
