import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { Database, ListReading } from '../../src/platform/db/database.ts';
import { makeRoom } from '../support/large-file.ts';
import { describeOnSqlite, type TestServer } from '../support/server.ts';

async function makeLarge({ world: { db } }: TestServer): Promise<void> {
  for (const statement of makeRoom) await db.write((tx) => sql.raw(statement).execute(tx));
  // Its size is looked at once a second.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
}

/** Which reads of a request may take long. */
async function readsOf({ world, admin }: TestServer, path: string): Promise<{ answer: unknown; isQuick: boolean[] }> {
  const db: { -readonly [Name in keyof Database]: Database[Name] } = world.db;
  const { readList } = db;
  const isQuick: boolean[] = [];
  db.readList = (work, reading: ListReading) => {
    isQuick.push(reading.isQuick);
    if (!readList) throw new Error('there are no threads');
    return readList(work, reading);
  };
  try {
    const { status, body } = await admin.get(path);
    expect(status, path).toBe(200);
    return { answer: body, isQuick };
  } finally {
    db.readList = readList as NonNullable<typeof readList>;
  }
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
    for (const path of [...quick, ...long]) before.set(path, (await server().admin.get(path)).body);
    await makeLarge(server());
  });

  test.each(quick)('an index has what %s reads', async (path) => {
    expect((await readsOf(server(), path)).isQuick).not.toContain(false);
  });

  test.each(long)('%s is read out of the way of others', async (path) => {
    expect((await readsOf(server(), path)).isQuick).toContain(false);
  });

  test('the answers are the same', async () => {
    for (const [path, body] of before) expect((await server().admin.get(path)).body, path).toEqual(body);
  });
});
