import { type RawBuilder, sql } from 'kysely';
import { expect, test } from 'vitest';
import { isNamedSql } from '../../src/kinds/stages/identification/find-user.ts';
import { expiredOfProviders } from '../../src/provider/expired-of-providers.ts';
import { isOfType } from '../../src/provider/sync/ledger.ts';
import { describeOnBoth, hasPostgres, startServer } from '../support/server.ts';

const session = '00000000-0000-4000-8000-000000000000';

/** Plain indexes on columns with which another index of their table begins. */
const beginningsInSqlite = sql`with i as (select t.name as "table", i.name as name, i."unique" as is_unique,
    (select group_concat(name) from (select name from pragma_index_info(i.name) order by seqno)) || ',' as columns
    from sqlite_master as t, pragma_index_list(t.name) as i where t.type = 'table' and i.partial = 0)
  select one.name, other.name as stands_for_it from i as one join i as other on one."table" = other."table" and one.name <> other.name
  where one.is_unique = 0 and other.columns like one.columns || '%'`;
const beginningsInPostgres = sql`with i as (select i.*, i.indkey::text || ' ' as columns from pg_index as i
    join pg_class as c on c.oid = i.indexrelid join pg_am as m on m.oid = c.relam
    where m.amname = 'btree' and i.indpred is null and i.indexprs is null)
  select one.indexrelid::regclass as name, other.indexrelid::regclass as stands_for_it from i as one
    join i as other on one.indrelid = other.indrelid and one.indexrelid <> other.indexrelid
  where not one.indisunique and other.columns like one.columns || '%'
    and one.indrelid in (select oid from pg_class where relnamespace = current_schema()::regnamespace)`;

describeOnBoth('indexes', (server) => {
  /** How the database would find the rows. */
  async function planOf(query: RawBuilder<unknown>): Promise<string> {
    const { db } = server().world;
    return db.write(async (tx) => {
      // Of a table with hardly a row PostgreSQL would read all.
      if (db.dialect.name === 'postgres') await sql`set local enable_seqscan = off`.execute(tx);
      const explain = db.dialect.name === 'postgres' ? sql`explain` : sql`explain query plan`;
      const { rows } = await sql`${explain} ${query}`.execute(tx);
      return JSON.stringify(rows);
    });
  }

  test.each([
    ['events_subject', sql`select 1 from events where username = 'me' or subject = 'me'`],
    ['events_model_app_created', sql`select 1 from events where model_app = 'x' order by created desc limit 1`],
    ['events_brand_name_created', sql`select 1 from events where brand_name = 'x' order by created desc limit 1`],
    ['events_model_name_created', sql`select 1 from events where model_name = 'x' order by created desc limit 1`],
    ['events_model_pk_created', sql`select 1 from events where model_pk = 'x' order by created desc limit 1`],
    [
      'events_authorized_app_created',
      sql`select 1 from events where authorized_app = 'x' order by created desc limit 1`,
    ],
    ['oauth2_access_tokens_session', sql`delete from oauth2_access_tokens where session = ${sql.lit(session)}`],
    ['authenticated_sessions_impersonated', sql`delete from authenticated_sessions where impersonated = 1`],
    ['users_upn', sql`select 1 from users where lower(substr(attributes ->> 'upn', 1, 255)) = lower('x')`],
    [
      'users_distinguished_name',
      sql`select 1 from users where lower(substr(attributes ->> 'distinguishedName', 1, 255)) = lower('x')`,
    ],
  ])('%s holds only rows whose column is set, and serves queries that compare the column', async (index, query) => {
    expect(await planOf(query)).toMatch(new RegExp(index));
  });

  test('users have at most 12 indexes beside those of keys and searches', async () => {
    const { db } = server().world;
    const names =
      db.dialect.name === 'sqlite'
        ? sql`select name from pragma_index_list('users') where origin = 'c'`
        : sql`select i.indexrelid::regclass as name from pg_index as i join pg_class as c on c.oid = i.indexrelid
            join pg_am as m on m.oid = c.relam left join pg_constraint as k on k.conindid = i.indexrelid
            where i.indrelid = 'users'::regclass and m.amname = 'btree' and k.oid is null`;
    const { rows } = await names.execute(db.read);
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.length).toBeLessThanOrEqual(12);
  });

  test('no index is the beginning of another', async () => {
    const { db } = server().world;
    const needless = db.dialect.name === 'sqlite' ? beginningsInSqlite : beginningsInPostgres;
    expect((await needless.execute(db.read)).rows).toEqual([]);
  });

  test.each([true, false])(
    'names at the sign-in are found through indexes (ignoring case: %s)',
    async (ignoresCase) => {
      const isNamed = isNamedSql('ada', ['username', 'email', 'upn'], ignoresCase);
      const plan = await planOf(sql`select pk from users u where ${isNamed}`);
      expect(plan).toMatch(/\busers_upn\b/);
      expect(plan).not.toMatch(/SCAN|Seq Scan/);
    },
  );

  test('objects at a target of sync are found by their remote id', async () => {
    const query = sql`select 1 from sync_objects where provider = 1 and remote_id = 'x' and ${isOfType('user')}`;
    expect(await planOf(query)).toMatch(/sync_objects_provider_remote_id/);
  });

  test.each(['access_tokens', 'refresh_tokens', 'authorization_codes'])(
    'expired %s are found through the index on their provider',
    async (kind) => {
      const table = `oauth2_${kind}`;
      const query = sql`select pk from ${sql.table(table)} where ${expiredOfProviders(table, kind).where(server().world.clock.now())}`;
      expect(await planOf(sql`${query} limit 500`)).toMatch(/_provider_expires_pk/);
    },
  );
});

test.skipIf(!hasPostgres)('signing in changes no index of users, as no index has what it changes', async () => {
  const server = await startServer('postgres');
  const { rows } = await sql<{
    index: string;
  }>`select indexrelid::regclass as index from pg_index as i join pg_attribute as a on a.attrelid = i.indrelid
    where i.indrelid = 'users'::regclass and a.attname = 'last_login' and a.attnum = any(i.indkey)`.execute(
    server.world.db.read,
  );
  expect(rows).toEqual([]);
  await server.close();
});

test.skipIf(!hasPostgres)('PostgreSQL has statistics on the number of groups from the first start', async () => {
  const server = await startServer('postgres');
  const { rows } = await sql<{
    expected: number;
  }>`select reltuples as expected from pg_class where relname = 'groups'`.execute(server.world.db.read);
  const { body } = await server.admin.get('/core/groups/');
  expect(rows).toEqual([{ expected: body.pagination.count }]);
  await server.close();
});

test.skipIf(!hasPostgres).each([
  ['taken names', sql`select 1 from users where username_key = $1`, "'ada'"],
  ['attempts to sign in', sql`select 1 from sign_in_attempts where subject in ($1, $2)`, "'ada', '10.0.0.1'"],
])('PostgreSQL looks for %s by index from the first one on', async (_name, query, values) => {
  const server = await startServer('postgres');
  // As the prepared statement is planned, for many values.
  const { rows } = await server.world.db.write(async (tx) => {
    await sql`set local plan_cache_mode = force_generic_plan`.execute(tx);
    await sql`prepare looking as ${query}`.execute(tx);
    return sql`explain execute looking(${sql.raw(values)})`.execute(tx);
  });
  expect(JSON.stringify(rows)).toMatch(/Index/);
  await server.close();
});
