import { type BulkSql, type BulkWords, openBulkSql } from './bulk-sql.ts';
import type { BenchDatabase } from './databases.ts';

const rowsPerStep = 250_000;
const usersPerGroup = 50;
const twoYearsInSeconds = 2 * 365 * 86_400;

export interface Many {
  readonly users: number;
  readonly events: number;
  /** How far back the events go. */
  readonly eventSeconds?: number;
}

/**
 * More people and events on top of those that are there. No server may have the database open; its next one rolls up
 * the events.
 */
export async function loadMany(
  database: BenchDatabase,
  { users, events, eventSeconds = twoYearsInSeconds }: Many,
  say: (line: string) => void,
): Promise<void> {
  const bulk = await openBulkSql(database, say);
  const inSteps = (all: number, statement: (from: number, to: number) => string) => {
    const steps = Math.ceil(all / rowsPerStep);
    const from = (step: number) => Math.min(step * rowsPerStep, all);
    return bulk.runAll(Array.from({ length: steps }, (_, step) => statement(from(step), from(step + 1))));
  };
  try {
    if (users > 0) {
      await bulk.run('create table bench_names (i integer primary key, given text, family text)');
      await bulk.run(`insert into bench_names values ${nameRows().join(', ')}`);
      await bulk.bare('users', () => inSteps(users, (from, to) => usersSql(bulk.words, from, to, users)));
      await bulk.bare('groups', () => addGroups(bulk, users));
      await bulk.bare('user_groups', () => addMembers(bulk, users));
      await bulk.run('drop table bench_names');
    }
    await bulk.bare('events', () =>
      inSteps(events, (from, to) => eventsSql(bulk.words, from, to, events, eventSeconds)),
    );
    // The events are older than the period of the roll-up.
    await bulk.run('delete from event_rollup');
    await bulk.run("update event_rollup_state set until = '0001-01-01T00:00:00.000000Z'");
  } finally {
    await bulk.close();
  }
}

function nameRows(): string[] {
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
  return Array.from({ length: 143 }, (_, i) => `(${i}, '${given[i % 13]}', '${family[i % 11]}')`);
}

function usersSql(of: BulkWords, from: number, to: number, all: number): string {
  const joined = of.ago(`${twoYearsInSeconds} - cast(n.i as double precision) / ${all} * ${twoYearsInSeconds - 7_200}`);
  return `insert into users (uuid, username, name, email, password_change_date, is_active, date_joined, path, type, attributes)
    with ${of.numbers(from, to)} select ${of.uuid('n.i')}, lower(b.given) || '.' || lower(b.family) || '.' || n.i, b.given || ' ' || b.family,
      lower(b.given) || '.' || lower(b.family) || '.' || n.i || '@example.com', ${joined}, n.i % 50 <> 0, ${joined},
      case when n.i % 10 = 0 then 'users/partners' else 'users' end, case when n.i % 10 = 0 then 'external' else 'internal' end,
      cast('{"department": ' || (n.i % 40) || '}' as ${of.json})
    from n join bench_names b on b.i = n.i % 143`;
}

const groupCount = (users: number) => Math.ceil(users / usersPerGroup);

async function addGroups({ run, words: of }: BulkSql, users: number): Promise<void> {
  await run(`insert into groups (pk, name, is_superuser, attributes)
    with ${of.numbers(0, groupCount(users))} select ${of.uuid('n.i')}, 'team ' || n.i, ${of.no}, cast('{}' as ${of.json}) from n`);
  // As a trigger does for each group, which takes far longer.
  await run(`insert into group_ancestors ("group", ancestor) select pk, pk from groups where name like 'team %'`);
}

async function addMembers({ run }: BulkSql, users: number): Promise<void> {
  await run(`insert into user_groups ("user", "group") select u.pk, g.pk from users u
    join groups g on g.name = 'team ' || (u.pk % ${groupCount(users)}) where u.username like '%.%.%'`);
}

/** Two of five are sign-ins, a third are visits to applications, the rest failures and changes. */
function eventsSql(of: BulkWords, from: number, to: number, all: number, seconds: number): string {
  const isModel = "a.action like 'model%'";
  const isVisit = "a.action = 'authorize_application'";
  const app = "'00000000000000000000000000000' || (100 + a.i % 50)";
  const brand = `'{"app": "svc_brands", "model_name": "brand", "name": "Default brand"}'`;
  return `insert into events (pk, "user", user_pk, username, action, app, context, client_ip, created, expires, brand,
      model_app, model_name, model_pk, authorized_app, brand_name, words)
    with ${of.numbers(from, to)}, a as (select i, case when i % 100 < 40 then 'login' when i % 100 < 75 then 'authorize_application'
      when i % 100 < 83 then 'login_failed' when i % 100 < 95 then 'model_updated' else 'model_created' end as action from n)
    select ${of.uuid('a.i')}, cast('{"pk": ' || u.pk || ', "username": "' || u.username || '", "email": "' || u.email || '"}' as ${of.json}),
      case when a.action <> 'login_failed' then u.pk end, u.username, a.action, 'svc_core',
      cast(case when ${isModel} then '{"model": {"app": "svc_core", "model_name": "user", "pk": ' || u.pk || ', "name": "' || u.username || '"}}'
        when ${isVisit} then '{"authorized_application": {"pk": "' || ${app} || '", "name": "App ' || (a.i % 50) || '"}}'
        else '{"auth_method": "password"}' end as ${of.json}),
      '10.' || (a.i % 8) || '.' || (a.i % 251) || '.' || (a.i % 241),
      ${of.ago(`${seconds} - cast(a.i as double precision) / ${all} * ${seconds - 7_200}`)},
      ${of.ago(`-${twoYearsInSeconds}`)}, cast(${brand} as ${of.json}),
      case when ${isModel} then 'svc_core' end, case when ${isModel} then 'user' end, case when ${isModel} then '' || u.pk end,
      case when ${isVisit} then ${app} end, 'Default brand', u.username || ' ' || u.email || ' ' || a.action || ' svc_core'
    from a join users u on u.pk = (select min(pk) from users) + cast(a.i as bigint) * 7919 % (select max(pk) - min(pk) from users)`;
}
