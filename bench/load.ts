import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { App } from '../src/app/compose.ts';
import { systemCall } from '../src/app/system-call.ts';
import type { World } from '../src/app/world.ts';
import { nameKey } from '../src/lib/name-key.ts';
import { toTimestamp } from '../src/platform/clock.ts';
import type { Query } from '../src/platform/db/database.ts';
import { randomText } from '../src/platform/random.ts';
import { createRow } from '../src/resource/write/write-row.ts';
import { insertMany, storedRow, times } from './bulk.ts';
import { loadAccessTokens } from './load-grants.ts';
import type { Loading } from './loading.ts';

export interface Sizes {
  readonly users: number;
  readonly policies: number;
  readonly rules: number;
  readonly events: number;
  readonly accessTokens: number;
}

/** What requests need to know of the data. */
export interface Loaded {
  readonly users: readonly number[];
  /** Those to delete: they neither sign in nor are read. */
  readonly leavers: readonly number[];
  readonly quietRules: readonly string[];
  readonly passwordExpiryPolicies: readonly string[];
  readonly transports: readonly string[];
  readonly smallGroups: readonly string[];
  readonly oauth2Providers: readonly number[];
  /** The token of a caller with some permissions who is no superuser; null while there are no permissions to give. */
  readonly delegateToken: string | null;
  /** People who can sign in, with `benchPassword`. */
  readonly signInNames: readonly string[];
}

/** Groups that rules tell: a handful of people each. The others share the rest of the users. */
const smallGroupCount = 20;
const smallGroupSize = 5;
const usersPerGroup = 50;
/** In the name of a few users only, so that a search finds these whatever the number of users. */
export const rareWord = 'zyx';

export const benchPassword = 'the-password-of-people-in-benchmarks';
const signInCount = 500;

export async function load(world: World, app: App, sizes: Sizes): Promise<Loaded> {
  const hash = await world.passwords.hash(benchPassword);
  return world.db.write(async (tx) => {
    const loading = loadingOn(world, app, tx);
    await addUsers(loading, 0, sizes.users);
    const smallGroups = await keysOf(tx, 'groups', sql`name like 'group-%' order by name limit ${smallGroupCount}`);
    await makePolicies(loading, sizes.policies);
    const transports = await makeTransports(loading);
    await makeRules(loading, sizes.rules, transports, smallGroups as string[]);
    await addEvents(loading, sizes.events);
    return {
      users: (await keysOf(tx, 'users', sql`username like 'user-%' order by pk limit 200`)) as number[],
      leavers: (await keysOf(
        tx,
        'users',
        sql`username like 'user-%' order by pk limit ${sizes.users} offset ${signInCount}`,
      )) as number[],
      quietRules: (await keysOf(
        tx,
        'notification_rules',
        sql`severity = 'notice' order by name limit 200`,
      )) as string[],
      passwordExpiryPolicies: (await keysOf(
        tx,
        'policy_password_expiry',
        sql`days > 0 order by pk limit 200`,
      )) as string[],
      transports,
      smallGroups: smallGroups as string[],
      oauth2Providers: await loadAccessTokens(loading, sizes.accessTokens),
      delegateToken: await makeDelegate(loading),
      signInNames: await givePasswords(tx, hash),
    };
  });
}

function loadingOn(world: World, app: App, tx: Query): Loading {
  const silent = { ...app.resourceWorld, record: async () => {} };
  const call = systemCall(world.db, silent, world.clock.now());
  return {
    world,
    app,
    tx,
    async make(model, body) {
      const resource = app.engine.registry.find(model);
      return resource ? (await createRow({ engine: app.engine, resource, call, tx }, body)).pk : null;
    },
  };
}

async function keysOf(tx: Query, table: string, where: ReturnType<typeof sql>): Promise<(string | number)[]> {
  const { rows } = await sql<{ pk: string | number }>`select pk from ${sql.table(table)} where ${where}`.execute(tx);
  return rows.map(({ pk }) => pk);
}

/** Look-ups compare the keys, which no trigger fills. */
const withKeys = <T extends { readonly username: string; readonly email: string }>(user: T) => ({
  ...user,
  username_key: nameKey(user.username),
  email_key: nameKey(user.email),
});

async function addUsers({ tx, world, make }: Loading, from: number, to: number): Promise<void> {
  const dialect = world.db.dialect.name;
  const groupName = (index: number) => `group-${String(index).padStart(6, '0')}`;
  const groupsFrom = from / usersPerGroup;
  const groupsTo = to / usersPerGroup;
  const groupPk = await make('svc_core.group', { name: `model-group-${from}` });
  const group = await storedRow(tx, 'groups', groupPk as string);
  const keys = Array.from({ length: groupsTo - groupsFrom }, () => randomUUID());
  await insertMany(
    tx,
    dialect,
    'groups',
    times(keys.length, (index) => ({ ...group, pk: keys[index], name: groupName(groupsFrom + index) })),
  );

  const userPk = await make('svc_core.user', { username: `model-user-${from}`, name: 'Model User' });
  const user = await storedRow(tx, 'users', userPk as number);
  const { rows } = await sql<{ last: number }>`select max(pk) as last from users`.execute(tx);
  await insertMany(
    tx,
    dialect,
    'users',
    times(to, (index) => withKeys({ ...user, ...person(index) }), from),
  );

  const first = (rows[0]?.last ?? 0) + 1;
  const memberships = times(
    to,
    (index) => ({ user: first + index - from, group: keys[groupOf(index - from, keys.length)] }),
    from,
  );
  await insertMany(tx, dialect, 'user_groups', memberships);
}

function groupOf(index: number, groups: number): number {
  if (index < smallGroupCount * smallGroupSize) return Math.floor(index / smallGroupSize);
  return smallGroupCount + (index % (groups - smallGroupCount));
}

const givenNames = ['Ada', 'Ben', 'Chloe', 'Dora', 'Emil', 'Fatima', 'Goran', 'Hana', 'Ivo', 'Jana'];
const familyNames = ['Abbott', 'Brandt', 'Castro', 'Dufour', 'Eriksen', 'Fischer', 'Grant', 'Hoffman', 'Ito', 'Jensen'];

function person(index: number) {
  const number = String(index).padStart(7, '0');
  const given = givenNames[index % givenNames.length];
  const family = familyNames[Math.floor(index / givenNames.length) % familyNames.length];
  const isRare = index < 10_000 && index % 500 === 0;
  return {
    uuid: randomUUID(),
    username: `user-${number}`,
    name: `${given} ${family}${isRare ? ` ${rareWord}` : ''}`,
    email: `${given}.${family}.${number}@example.com`.toLowerCase(),
    attributes: JSON.stringify({ department: index % 40, badge: number }),
    // New users are counted one by one for some minutes.
    date_joined: toTimestamp(Date.now() - 86_400_000),
  };
}

async function makePolicies({ make }: Loading, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const name = `policy-${String(index).padStart(5, '0')}`;
    const made =
      (index % 3 === 1 &&
        (await make('svc_policies_reputation.reputationpolicy', { name, check_ip: index % 2 === 0, threshold: -5 }))) ||
      (index % 3 === 2 &&
        (await make('svc_policies_expression.expressionpolicy', { name, expression: 'return true' })));
    if (!made) await make('svc_policies_expiry.passwordexpirypolicy', { name, days: 90, deny_only: true });
  }
}

async function makeTransports({ make }: Loading): Promise<string[]> {
  const names = ['bench-local', 'bench-audit'];
  const keys = await Promise.all(
    names.map((name) => make('svc_events.notificationtransport', { name, mode: 'local' })),
  );
  return keys as string[];
}

/** Half of the rules are notices to small groups, half are warnings to groups of fifty. */
async function makeRules(
  { tx, make }: Loading,
  count: number,
  transports: string[],
  smallGroups: string[],
): Promise<void> {
  const largeGroups = await keysOf(
    tx,
    'groups',
    sql`name like 'group-%' order by name limit 100 offset ${smallGroupCount}`,
  );
  for (let index = 0; index < count; index++) {
    const isQuiet = index % 2 === 0;
    const groups = isQuiet ? smallGroups : largeGroups;
    await make('svc_events.notificationrule', {
      name: `rule-${String(index).padStart(5, '0')}`,
      severity: isQuiet ? 'notice' : 'warning',
      transports,
      group: groups[Math.floor(index / 2) % groups.length],
    });
  }
}

const actions = ['login', 'model_updated', 'model_created', 'login_failed', 'policy_execution'];

async function addEvents({ tx, world, app }: Loading, count: number): Promise<void> {
  const call = systemCall(world.db, app.resourceWorld, world.clock.now());
  const context = {
    model: { app: 'svc_core', model_name: 'user', pk: 1, name: 'user' },
    message: 'made for measuring',
  };
  await app.resourceWorld.record(tx, call, { action: 'login', app: 'svc_core', context });
  const [pk] = await keysOf(tx, 'events', sql`1 = 1 limit 1`);
  const event = await storedRow(tx, 'events', pk as string);
  const now = Date.now();
  const rows = times(count, (index) => {
    const username = `user-${String(index % 10_000).padStart(7, '0')}`;
    return {
      ...event,
      pk: randomUUID(),
      action: actions[index % actions.length],
      username,
      user: JSON.stringify({ pk: index % 10_000, email: `${username}@example.com`, username }),
      context: JSON.stringify({
        ...context,
        http_request: { path: '', method: 'SYSTEM', args: {}, user_agent: '', request_id: randomUUID() },
      }),
      created: toTimestamp(now - (count - index) * 60_000),
    };
  });
  await insertMany(tx, world.db.dialect.name, 'events', rows);
}

async function givePasswords(tx: Query, hash: string): Promise<string[]> {
  const { rows } = await sql<{ username: string }>`update users set password = ${hash} where pk in (select pk from users
    where username like 'user-%' order by pk limit ${signInCount}) returning username`.execute(tx);
  return rows.map(({ username }) => username);
}

const delegatePermissions = ['view_notificationrule', 'view_group', 'view_user'];

async function makeDelegate({ tx, world, make }: Loading): Promise<string | null> {
  const token = randomText(60);
  const pk = await make('svc_core.user', { username: 'bench-delegate', name: 'Delegated Administrator' });
  const { rows } = await sql`insert into user_permissions ("user", permission) select ${pk}, pk from permissions
    where codename in (${sql.join(delegatePermissions)}) returning permission`.execute(tx);
  await sql`insert into tokens (pk, identifier, key, key_hash, intent, "user", description, expires, expiring, managed)
    values (${randomUUID()}, 'bench-delegate', '', ${world.key.hash(token)}, 'api', ${pk}, '', null, false, null)`.execute(
    tx,
  );
  return rows.length === delegatePermissions.length ? token : null;
}
