import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pendingListsJob } from '../../src/core/search/pending-lists.job.ts';
import { openPostgres } from '../../src/platform/db/postgres.ts';
import { unique } from '../support/make-walk.ts';
import { type Pair, startPair } from '../support/postgres-standby.ts';
import { hasPostgres, startServer, type TestServer } from '../support/server.ts';

describe.skipIf(!hasPostgres)('lists read from a replica', () => {
  let pair: Pair;
  let standby: pg.Client;
  let first: TestServer;
  let second: TestServer;

  beforeAll(async () => {
    pair = (await startPair()) as Pair;
    standby = new pg.Client({ connectionString: pair.standbyUrl });
    standby.on('error', () => {});
    await standby.connect();
    const env = { DATABASE_URL: pair.primaryUrl, GATEHOUSE_DATABASE_REPLICA_URL: pair.standbyUrl };
    first = await startServer('postgres', { env });
    second = await startServer('postgres', { env });
  });
  afterAll(async () => {
    await first.close();
    await second.close();
    // The primary waits for its standby, which a test has killed.
    await standby.end().catch(() => {});
    await pair.stop();
  });

  /** The last statement of each connection that the replica has from us. */
  async function lastOnReplica(): Promise<string> {
    const { rows } = await standby.query(
      "select query from pg_stat_activity where application_name = 'gatehouse' order by query_start",
    );
    return rows.map(({ query }) => query).join('\n');
  }

  async function pause(): Promise<void> {
    await standby.query('select pg_wal_replay_pause()');
    const state = async () => (await standby.query('select pg_get_wal_replay_pause_state() as state')).rows[0].state;
    await expect.poll(state).toBe('paused');
  }

  const resume = () => standby.query('select pg_wal_replay_resume()');

  const listed = async (server: TestServer, name: string) =>
    (await server.admin.get(`/core/groups/?name=${name}`)).body.results.length;
  const make = async (server: TestServer, name: string) => {
    expect((await server.admin.post('/core/groups/', { name })).status).toBe(201);
  };

  test('come from the replica and include every write that any instance has acknowledged', async () => {
    for (let turn = 0; turn < 30; turn++) {
      const name = unique(`turn-${turn}`);
      await make(first, name);
      expect([await listed(first, name), await listed(second, name)]).toEqual([1, 1]);
    }
    expect(await lastOnReplica()).toMatch(/^select "t"\."pk"/m);
  });

  test.each([
    ['charts', '/events/events/volume/', /group by 1, 2$/m],
    ['exports', '/events/events/export/?as=csv', /order by t\.created desc, t\.pk desc limit/],
  ])('are not alone: %s come from the replica too', async (_what, path, statement) => {
    // Again, because a replica that lags behind is left alone for a while.
    const lastAfterwards = async () => {
      expect((await first.admin.get(path)).status).toBe(200);
      return lastOnReplica();
    };
    await expect.poll(lastAfterwards).toMatch(statement);
  });

  test('leave authentication, single objects and writes to the primary', async () => {
    await pause();
    const ada = await first.user();
    // The replica does not know her.
    expect((await ada.api.get('/core/users/me/')).status).toBe(200);
    expect((await first.admin.get(`/core/users/${ada.pk}/`)).body.username).toBe(ada.username);
    await first.admin.patch(`/core/users/${ada.pk}/`, { is_active: false });
    expect((await ada.api.get('/core/users/me/')).status).toBe(403);
    expect(await lastOnReplica()).not.toMatch(/tokens|update|insert/);
    await resume();
  });

  test('come from the primary while the replica lags behind', async () => {
    await pause();
    const name = unique('while-it-is-behind');
    await make(first, name);
    expect([await listed(first, name), await listed(second, name)]).toEqual([1, 1]);
    await resume();
  });

  test('are all that happens there: a job that empties lists of new rows does nothing to it', async () => {
    const mistaken = openPostgres(pair.standbyUrl);
    const { run } = pendingListsJob(mistaken.emptyPendingLists as () => Promise<number>);
    const job = { pk: '', payload: null, attempt: 1, signal: new AbortController().signal };
    expect(await run(job)).toBe('The database was busy; the rest is done the next time.');
    await mistaken.close();
  });

  test('come from the primary when the replica dies', async () => {
    // Or the primary would wait for it.
    const primary = new pg.Client({ connectionString: pair.primaryUrl });
    await primary.connect();
    await primary.query("alter system set synchronous_standby_names = ''");
    await primary.query('select pg_reload_conf()');
    await primary.end();
    await pair.killStandby();
    const name = unique('without-it');
    await make(first, name);
    expect([await listed(first, name), await listed(second, name)]).toEqual([1, 1]);
  });
});
