import { type RawBuilder, sql } from 'kysely';
import type { World } from '../src/app/world.ts';
import type { Query } from '../src/platform/db/database.ts';

const rowsPerStep = 250_000;
const usersPerGroup = 50;
const twoYearsInSeconds = 2 * 365 * 86_400;

interface Words {
  readonly uuid: string;
  /** A moment so many seconds ago; the number is an expression. */
  ago(seconds: string): string;
  readonly json: string;
  /** The statements that make the indexes of a table which enforce nothing. */
  indexes(table: string): RawBuilder<{ name: string; text: string }>;
}

const words: Readonly<Record<string, Words>> = {
  postgres: {
    uuid: 'gen_random_uuid()',
    ago: (seconds) => `now() - (${seconds}) * interval '1 second'`,
    json: 'jsonb',
    indexes: (table) => sql`select indexname as name, indexdef as text from pg_indexes
      where schemaname = current_schema() and tablename = ${table} and indexdef not like '%UNIQUE%'`,
  },
  sqlite: {
    uuid: `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8'
      || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`,
    ago: (seconds) => `strftime('%Y-%m-%dT%H:%M:%f', 'now', -(${seconds}) || ' seconds') || '000Z'`,
    json: 'text',
    indexes: (table) => sql`select name, sql as text from sqlite_master
      where type = 'index' and tbl_name = ${table} and sql not like '%unique%'`,
  },
};

interface Loading {
  readonly world: World;
  readonly of: Words;
  say(line: string): void;
}

/** More people and two years of events on top of those that are there, made by SQL, with the indexes made anew at the end. */
export async function loadMany(world: World, users: number, events: number, say: (line: string) => void) {
  const loading: Loading = { world, of: words[world.db.dialect.name] as Words, say };
  await run(world, 'create table bench_names (i integer primary key, given text, family text)');
  await world.db.write((tx) => sql`insert into bench_names values ${sql.join(nameRows())}`.execute(tx));
  await withoutIndexes(loading, ['users', 'user_groups'], async () => {
    await inSteps(loading, 'users', users, usersSql);
    await addGroups(loading, users);
  });
  await withoutIndexes(loading, ['events'], () => inSteps(loading, 'events', events, eventsSql));
  await run(world, 'drop table bench_names');
}

function nameRows(): RawBuilder<unknown>[] {
  const given = [
    'Ada',
    'Ben',
    'Chloe',
    'Dora',
    'Emil',
    'Fatima',
    'Goran',
    'Hana',
    'Ivo',
    'Jana',
    'Kofi',
    'Lena',
    'Mika',
  ];
  const family = [
    'Abbott',
    'Brandt',
    'Castro',
    'Dufour',
    'Eriksen',
    'Fischer',
    'Grant',
    'Hoffman',
    'Ito',
    'Jensen',
    'Kaya',
  ];
  return Array.from({ length: 143 }, (_, i) => sql`(${i}, ${given[i % 13]}, ${family[i % 11]})`);
}

const series = (from: number, to: number) =>
  `with recursive n(i) as (select ${from} union all select i + 1 from n where i + 1 < ${to})`;

function usersSql({ of }: Loading, from: number, to: number, all: number): string {
  const joined = of.ago(`${twoYearsInSeconds} - cast(n.i as double precision) / ${all} * ${twoYearsInSeconds - 7_200}`);
  return `insert into users (uuid, username, name, email, password_change_date, is_active, date_joined, path, type, attributes)
    ${series(from, to)} select ${of.uuid}, lower(b.given) || '.' || lower(b.family) || '.' || n.i, b.given || ' ' || b.family,
      lower(b.given) || '.' || lower(b.family) || '.' || n.i || '@example.com', ${joined}, n.i % 50 <> 0, ${joined},
      case when n.i % 10 = 0 then 'users/partners' else 'users' end, case when n.i % 10 = 0 then 'external' else 'internal' end,
      cast('{"department": ' || n.i % 40 || '}' as ${of.json})
    from n join bench_names b on b.i = n.i % 143`;
}

async function addGroups({ world, of }: Loading, users: number): Promise<void> {
  const groups = Math.ceil(users / usersPerGroup);
  await run(
    world,
    `insert into groups (pk, name, is_superuser, attributes)
      ${series(0, groups)} select ${of.uuid}, 'team ' || n.i, ${world.db.dialect.name === 'sqlite' ? '0' : 'false'}, cast('{}' as ${of.json}) from n`,
  );
  await run(
    world,
    `insert into user_groups ("user", "group") select u.pk, g.pk from users u join groups g on g.name = 'team ' || (u.pk % ${groups})
      where u.username like '%.%.%'`,
  );
}

/** Two of five are sign-ins, a third are visits to applications, the rest failures and changes. */
function eventsSql({ of }: Loading, from: number, to: number, all: number): string {
  const isModel = "a.action like 'model%'";
  const isVisit = "a.action = 'authorize_application'";
  const app = "'00000000000000000000000000000' || (100 + a.i % 50)";
  const brand = `'{"app": "svc_brands", "model_name": "brand", "name": "Default brand"}'`;
  return `insert into events (pk, "user", user_pk, username, action, app, context, client_ip, created, expires, brand,
      model_app, model_name, model_pk, authorized_app, brand_name, words)
    ${series(from, to)}, a as (select i, case when i % 100 < 40 then 'login' when i % 100 < 75 then 'authorize_application'
      when i % 100 < 83 then 'login_failed' when i % 100 < 95 then 'model_updated' else 'model_created' end as action from n)
    select ${of.uuid}, cast('{"pk": ' || u.pk || ', "username": "' || u.username || '", "email": "' || u.email || '"}' as ${of.json}),
      case when a.action <> 'login_failed' then u.pk end, u.username, a.action, 'svc_core',
      cast(case when ${isModel} then '{"model": {"app": "svc_core", "model_name": "user", "pk": ' || u.pk || ', "name": "' || u.username || '"}}'
        when ${isVisit} then '{"authorized_application": {"pk": "' || ${app} || '", "name": "App ' || a.i % 50 || '"}}'
        else '{"auth_method": "password"}' end as ${of.json}),
      '10.' || a.i % 8 || '.' || a.i % 251 || '.' || a.i % 241,
      ${of.ago(`${twoYearsInSeconds} - cast(a.i as double precision) / ${all} * ${twoYearsInSeconds - 7_200}`)},
      ${of.ago(`-${twoYearsInSeconds}`)}, cast(${brand} as ${of.json}),
      case when ${isModel} then 'svc_core' end, case when ${isModel} then 'user' end, case when ${isModel} then '' || u.pk end,
      case when ${isVisit} then ${app} end, 'Default brand', u.username || ' ' || u.email || ' ' || a.action || ' svc_core'
    from a join users u on u.pk = (select min(pk) from users) + cast(a.i as bigint) * 7919 % (select max(pk) - min(pk) from users)`;
}

async function inSteps(
  loading: Loading,
  what: string,
  all: number,
  statement: (loading: Loading, from: number, to: number, all: number) => string,
): Promise<void> {
  for (let from = 0; from < all; from += rowsPerStep) {
    await run(loading.world, statement(loading, from, Math.min(from + rowsPerStep, all), all));
    loading.say(`${from} more ${what}`);
  }
}

async function withoutIndexes({ world, of, say }: Loading, tables: readonly string[], work: () => Promise<void>) {
  const found: { name: string; text: string }[] = [];
  for (const table of tables) found.push(...(await of.indexes(table).execute(world.db.read)).rows);
  for (const { name } of found) await run(world, `drop index "${name}"`);
  await work();
  for (const { name, text } of found) {
    say(name);
    await run(world, text);
  }
}

const run = (world: World, text: string) =>
  world.db.write(
    async (tx: Query) => {
      if (world.db.dialect.name === 'postgres') await sql`set local maintenance_work_mem = '1GB'`.execute(tx);
      await sql.raw(text).execute(tx);
    },
    { isLong: true, durable: false },
  );
