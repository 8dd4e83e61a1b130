import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { newKey, numbered } from '../support/many-rows.ts';
import { describeOnSqlite, type TestServer } from '../support/server.ts';

/** How many reads of a request are made in a thread. */
async function threadedReads({ world, admin }: TestServer, path: string): Promise<number> {
  const db: { -readonly [Name in keyof Database]: Database[Name] } = world.db;
  const { readList } = db;
  if (!readList) throw new Error('there are no threads');
  let reads = 0;
  db.readList = (work) => {
    reads += 1;
    return readList(work);
  };
  try {
    const { status } = await admin.get(path);
    expect(status, path).toBe(200);
    return reads;
  } finally {
    db.readList = readList;
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

describeOnSqlite('lists', (server) => {
  beforeAll(() => makeCrowd(server()));

  test.each([
    '/core/users/',
    '/core/users/?page=2&page_size=5',
    '/core/users/?search=user',
    '/core/users/?ordering=-email&attributes={"team":3}',
    '/core/users/paths/',
    '/core/tokens/',
    `/core/groups/${crowd}/`,
    '/events/events/?search=q&action=model_created',
    '/events/events/facets/?search=model',
    '/events/events/volume/',
    '/events/events/top_per_user/',
    '/events/events/export/?as=csv',
    '/admin/objects/?search=user',
    '/rbac/permissions/assigned_by_users/?model=svc_core.group&search=user',
    '/admin/overview/',
  ])('%s is read in a thread, so that other requests are served meanwhile', async (path) => {
    expect(await threadedReads(server(), path)).toBeGreaterThan(0);
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
});
