import { CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addMilliseconds, systemClock } from '../../src/platform/clock.ts';
import { makeRelying, post, tokensFor } from '../support/oauth2.ts';
import { hasPostgres, startServer, type TestServer } from '../support/server.ts';

const users = 10_000;
/** Tables of which no request may read every row. */
const big = ['users', 'user_groups', 'group_ancestors', 'events', 'tokens', 'oauth2_access_tokens'];

describe.skipIf(!hasPostgres)(`plans of PostgreSQL at ${users} users`, () => {
  let server: TestServer;
  let access: { token: string; basic: string };
  beforeAll(async () => {
    server = await startServer('postgres');
    const relying = await makeRelying(server);
    const ada = await server.user([], { username: 'ada' });
    const { access_token } = await tokensFor(server, relying, ada.pk);
    access = { token: access_token, basic: relying.basic };
    await fill(server, ada.pk);
  });
  afterAll(() => server.close());

  /**
   * The statements of a request, each with the plan that PostgreSQL has for it. Counting is left out: it reads what it
   * counts.
   */
  async function plansOf(work: () => Promise<{ status: number }>): Promise<{ text: string; plan: string }[]> {
    const { db } = server.world;
    const seen = new Map<string, CompiledQuery>();
    const stop = db.onStatement((query) => void seen.set(query.sql, query));
    expect((await work()).status).toBe(200);
    stop();
    const statements = [...seen.values()].filter(({ sql: text }) => /^\s*(select (?!count\(\*\))|with )/.test(text));
    return Promise.all(
      statements.map(async ({ sql: text, parameters }) => {
        const { rows } = await db.read.executeQuery(CompiledQuery.raw(`explain (costs off) ${text}`, [...parameters]));
        return { text, plan: rows.map((row) => Object.values(row as object).join()).join('\n') };
      }),
    );
  }

  const get = (path: string) => () => server.admin.get(path);
  const monthAgo = () => addMilliseconds(systemClock.now(), -30 * 86_400_000);
  const actions = ['login', 'logout', 'model_updated'].map((action) => `actions=${action}`).join('&');
  const asToken = () => ({ authorization: `Bearer ${access.token}` });
  const requests: readonly [string, () => Promise<{ status: number }>][] = [
    ['a page of users', get('/core/users/?page_size=20&is_active=true')],
    ['a later page of users', get('/core/users/?page_size=20&page=7')],
    ['a user', get('/core/users/150/')],
    ['users found by a word', get('/core/users/?page_size=20&search=needle')],
    ['superusers', get('/core/users/?is_superuser=true')],
    ['a page of groups', get('/core/groups/?page_size=20')],
    ['events of an action', get('/events/events/?action=login&page_size=20')],
    ['facets of a month', () => get(`/events/events/facets/?created__gte=${monthAgo()}&${actions}`)()],
    ['userinfo', () => server.nobody.send('GET', '/application/o/userinfo/', undefined, asToken())],
    ['introspection', () => post(server, 'introspect', { token: access.token }, { authorization: access.basic })],
  ];

  test.each(requests)('%s: no large table is read whole', async (_name, request) => {
    const plans = await plansOf(request);
    expect(plans.length).toBeGreaterThan(0);
    const scanned = plans.flatMap(({ text, plan }) =>
      big
        .filter((table) => new RegExp(`Seq Scan on "?${table}"?( |$)`, 'm').test(plan))
        .map((table) => ({ table, text, plan })),
    );
    expect(scanned).toEqual([]);
  });

  /** How many rows of a table the statements of a request look at. */
  async function rowsRead(path: string, table: string): Promise<number> {
    const { db } = server.world;
    const seen: CompiledQuery[] = [];
    const stop = db.onStatement((query) => void seen.push(query));
    expect((await server.admin.get(path)).status).toBe(200);
    stop();
    let rows = 0;
    for (const { sql: text, parameters } of seen.filter(({ sql: text }) => text.includes(`"${table}"`))) {
      const explain = CompiledQuery.raw(`explain (analyze, format json) ${text}`, [...parameters]);
      const found = await db.read.executeQuery<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>(explain);
      for (const node of nodesOf(found.rows[0]?.['QUERY PLAN'][0]?.Plan))
        if (node['Relation Name'] === table) rows += node['Actual Rows'] * node['Actual Loops'];
    }
    return rows;
  }

  test('a page of users reads no more rows right after very many were created', async () => {
    const { db } = server.world;
    const path = '/core/users/?page_size=20&include_groups=false';
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from users`.execute(db.read);
    const before = await rowsRead(path, 'users');
    // Each is counted once, and the page is read.
    expect(before).toBeLessThan((rows[0]?.n ?? 0) + 100);
    await db.write((tx) => sql`update users set date_joined = '2020-01-01T00:00:00Z'`.execute(tx));
    expect(Math.abs((await rowsRead(path, 'users')) - before)).toBeLessThan(20);
  });

  test('the search over all kinds looks up the users of tokens and the like one by one', async () => {
    const plans = await plansOf(get('/admin/objects/?search=needle'));
    const search = plans.filter(({ text }) => text.includes('exists (select 1 from "users"'));
    expect(search).toHaveLength(1);
    expect(search[0]?.plan).toMatch(/Index Scan using users_pkey on users t9/);
  });

  test('a word is found by the trigram index', async () => {
    const plans = await plansOf(get('/core/users/?page_size=20&search=needle'));
    const search = plans.find(({ text }) => text.includes(' ilike '));
    expect(search?.plan.match(/users_username_name_email_search/g)).toHaveLength(3);
  });
});

/** Rows as a few years would leave them. */
async function fill({ world: { db, config } }: TestServer, owner: number): Promise<void> {
  await db.write(
    async (tx) => {
      await sql`insert into users (uuid, username, name, email, password_change_date, is_active, last_login, date_joined, path, type, attributes)
      select gen_random_uuid(), 'person-' || n, 'Person ' || n || case when n % 500 = 0 then ' needle' else '' end,
        'person-' || n || '@example.com', now(), true, case when n % 2 = 0 then now() - n * interval '1 minute' end, now(), 'users', 'internal', '{}' from generate_series(1, ${users}::int) n`.execute(
        tx,
      );
      await sql`insert into groups (pk, name, is_superuser, attributes)
      select gen_random_uuid(), 'group ' || n, false, '{}' from generate_series(1, 200) n`.execute(tx);
      await sql`insert into user_groups ("user", "group") select u.pk, g.pk from users u
      join groups g on g.name = 'group ' || (1 + u.pk % 200)`.execute(tx);
      await sql`insert into events (pk, "user", action, app, context, brand, created, expires, username, words)
      select gen_random_uuid(), "user", (array['login', 'logout', 'model_updated'])[1 + n % 3], app, context, brand,
        now() - n * interval '1 minute', expires, username, words from (select * from events limit 1) e, generate_series(1, 30000) n`.execute(
        tx,
      );
      await sql`insert into tokens (pk, identifier, key, key_hash, intent, "user", description, expiring)
      select gen_random_uuid(), 'token ' || n, '', 'hash ' || n, 'api', ${owner}::int, '', false from generate_series(1, 5000) n`.execute(
        tx,
      );
      await sql`insert into oauth2_access_tokens (provider, "user", created, auth_time, expires, expiring, scope, family, terms, token_hash, id_token, revoked)
      select provider, "user", created, auth_time, expires, expiring, scope, family, terms, 'hash ' || n, id_token, revoked
        from (select * from oauth2_access_tokens limit 1) t, generate_series(1, 5000) n`.execute(tx);
    },
    { isLong: true },
  );
  // As autovacuum does: until then a trigram index has rows that are not sorted in, and the planner knows.
  const client = new pg.Client({ connectionString: config.databaseUrl ?? '' });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

const nodesOf = (node: PlanNode | undefined): readonly PlanNode[] =>
  node ? [node, ...(node.Plans ?? []).flatMap(nodesOf)] : [];
