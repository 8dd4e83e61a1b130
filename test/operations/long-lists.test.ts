import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import type { Database, Query } from '../../src/platform/db/database.ts';
import { makeRoom } from '../support/large-file.ts';
import { newKey, numbered } from '../support/many-rows.ts';
import { describeOnSqlite, type TestServer } from '../support/server.ts';

async function makeLarge({ world: { db } }: TestServer): Promise<void> {
  for (const statement of makeRoom) await db.write((tx) => sql.raw(statement).execute(tx));
  // Its size is looked at once a second.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
}

/** Which reads of a request may take long, and what they were read by. */
async function readsOf({ world, admin }: TestServer, path: string): Promise<{ isQuick: boolean[]; by: Query[] }> {
  const db: { -readonly [Name in keyof Database]: Database[Name] } = world.db;
  const { readList, readObject } = db;
  if (!readList || !readObject) throw new Error('there are no threads');
  const isQuick: boolean[] = [];
  const by: Query[] = [];
  const noting =
    (read: typeof readList): typeof readList =>
    (work, reading) => {
      isQuick.push(reading.isQuick);
      return read((query) => {
        by.push(query);
        return work(query);
      }, reading);
    };
  Object.assign(db, { readList: noting(readList), readObject: noting(readObject) });
  try {
    const { status } = await admin.get(path);
    expect(status, path).toBe(200);
    return { isQuick, by };
  } finally {
    Object.assign(db, { readList, readObject });
  }
}

const crowd = '00000000-0000-4000-8000-00000000c0de';
const crowdSize = 80_000;

/** Makes a group with so many members that reading it takes a tenth of a second and more. */
async function makeCrowd({ world: { db } }: TestServer): Promise<void> {
  const columns = sql`uuid, username, name, email, password_change_date, is_active, date_joined, path, type, attributes`;
  const now = systemClock.now();
  await db.write(async (tx) => {
    await sql`insert into users (${columns}) ${numbered(db.dialect, 1, crowdSize)} select ${newKey(db.dialect)}, 'crowd-' || i, 'Somebody', '',
      ${now}, 1, ${now}, 'crowd', 'internal', '{}' from n`.execute(tx);
    await sql`insert into groups (pk, name, is_superuser, attributes) values (${crowd}, 'crowd', 0, '{}')`.execute(tx);
    await sql`insert into user_groups ("user", "group") select pk, ${crowd} from users where path = 'crowd'`.execute(
      tx,
    );
  });
}

const quick = [
  '/core/users/',
  '/core/users/?page=2&page_size=5',
  '/core/users/?page=last&page_size=5',
  '/core/users/?page_size=1000',
  '/core/users/?type=external',
  '/core/users/?is_active=true&path=',
  '/core/users/paths/',
  '/events/events/?page_size=10',
  '/events/events/?action=model_created&page_size=10',
  '/events/events/?ordering=nothing&page_size=10',
  '/core/tokens/',
  '/core/groups/?include_users=false',
];
const long = [
  '/core/users/?page_size=1001',
  '/core/users/?search=1',
  '/core/users/?search=user',
  '/core/users/?attributes={"team":3}',
  // An empty filter is none.
  '/core/users/?type=&attributes={"team":3}',
  '/core/users/?type=internal&type=external',
  '/core/users/?type=internal&is_active=true',
  '/core/users/?path_startswith=us',
  '/core/users/?ordering=email',
  '/core/users/?ordering=-username',
  '/core/users/paths/?search=us',
  '/events/events/?ordering=client_ip&page_size=10',
  '/events/events/?actions=model_created&actions=login&page_size=10',
  '/events/events/?brand_name=x',
  '/events/events/?search=q&action=model_created',
  '/events/events/facets/?search=model',
  '/events/events/volume/',
  '/events/events/top_per_user/',
  '/admin/objects/?search=user',
  '/rbac/permissions/assigned_by_users/?model=svc_core.group&search=user',
  '/admin/overview/',
];

describeOnSqlite('lists of a large database', (server) => {
  const before = new Map<string, unknown>();

  beforeAll(async () => {
    for (let number = 0; number < 25; number++) {
      const values = { attributes: { team: number % 5 }, type: number % 2 ? 'internal' : 'external' };
      await server().user([], { username: `user-${number}`, ...values });
    }
    await makeCrowd(server());
    for (const path of [...quick, ...long]) before.set(path, (await server().admin.get(path)).body);
    await makeLarge(server());
  });

  test.each(quick)('an index has what %s reads', async (path) => {
    expect((await readsOf(server(), path)).isQuick).not.toContain(false);
  });

  test.each(long)('%s is read out of the way of others', async (path) => {
    expect((await readsOf(server(), path)).isQuick).toContain(false);
  });

  test('a group of many is read out of the way of others once it has held them up', async () => {
    const { by: long } = await readsOf(server(), '/core/users/?ordering=email');
    await readsOf(server(), `/core/groups/${crowd}/`);
    const { by: second } = await readsOf(server(), `/core/groups/${crowd}/`);
    expect(second[0]).toBe(long[0]);
  });

  test('a group has all its members, however many these are', async () => {
    const { admin } = server();
    const { body } = await admin.get(`/core/groups/${crowd}/`);
    expect(body.users).toHaveLength(crowdSize);
    expect(body.users_obj.map(({ username }: { username: string }) => username).sort()).toEqual(
      Array.from({ length: crowdSize }, (_, at) => `crowd-${at + 1}`).sort(),
    );
    const [{ pk, uid }] = body.users_obj;
    expect((await admin.get(`/core/users/${pk}/`)).body.uid).toBe(uid);
  });

  test('the answers are the same', async () => {
    for (const [path, body] of before) expect((await server().admin.get(path)).body, path).toEqual(body);
  });
});
