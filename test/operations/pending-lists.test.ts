import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pendingListsJob } from '../../src/core/cleanup/pending-lists.job.ts';
import { Rollback } from '../../src/platform/db/database.ts';
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts';
import { until } from '../support/jobs.ts';
import { unique } from '../support/make-walk.ts';
import { hasPostgres, startServer, type TestServer } from '../support/server.ts';

const kind = 'empty_pending_lists';
const indexes = ['users_username_name_email_search', 'events_words_search'];

describe.skipIf(!hasPostgres)('the lists of new rows in search indexes', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer('postgres');
  });
  afterAll(() => server.close());

  async function makeUser(): Promise<void> {
    const name = unique('newcomer');
    const made = await server.admin.post('/core/users/', { username: name, name, email: `${name}@example.com` });
    expect(made.status).toBe(201);
  }

  /** How many pages each list had; it is empty afterwards. Nothing else tells without an extension. */
  async function takePages(): Promise<number[]> {
    const found: number[] = [];
    for (const index of indexes) {
      const { rows } = await sql<{
        pages: string;
      }>`select gin_clean_pending_list(cast(${index} as regclass)) as pages`.execute(server.world.db.read);
      found.push(Number(rows[0]?.pages));
    }
    return found;
  }

  const runBy = (empty: () => Promise<number>) =>
    pendingListsJob(empty).run({ pk: '', payload: null, attempt: 1, signal: new AbortController().signal });

  test('are emptied by a job', async () => {
    const { db } = server.world;
    // Again, because an autovacuum may have come first.
    await expect.poll(() => makeUser().then(takePages)).toEqual([1, 1]);
    await makeUser();
    await db.write((tx) => server.app.jobs.enqueue(tx, { kind, runAt: server.world.clock.now() }));
    await until(async () => {
      const { rows } = await sql`select 1 from jobs where kind = ${kind} and unique_key is null`.execute(db.read);
      return rows.length === 0;
    });
    expect(await takePages()).toEqual([0, 0]);
  });

  test('are left alone by a role that does not own them', async () => {
    const url = new URL(String(server.world.config.databaseUrl));
    url.searchParams.set('options', '-c role=pg_read_all_data');
    const stranger = openPostgres(url.href, { connections: 2 });
    try {
      const attempt = async () => {
        await makeUser();
        return [await runBy(async () => (await stranger.emptyPendingLists?.()) ?? -1), await takePages()];
      };
      await expect.poll(attempt).toEqual(['0 pages emptied.', [1, 1]]);
    } finally {
      await stranger.close();
    }
  });

  test('wait for the next run while an index is locked', async () => {
    const { db } = server.world;
    await makeUser();
    const run = () => runBy(async () => (await db.emptyPendingLists?.()) ?? -1);
    const meanwhile = await db
      .write(async (tx) => {
        // Lets go of it, should the job wait for it.
        await sql`set local idle_in_transaction_session_timeout = '20s'`.execute(tx);
        await sql`drop index events_words_search`.execute(tx);
        throw new Rollback(await run());
      })
      .catch((error: Rollback<string>) => error.value);
    expect(meanwhile).toBe('The database was busy; the rest is done the next time.');
    await run();
    expect(await takePages()).toEqual([0, 0]);
  });
});
