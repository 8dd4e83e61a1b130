import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openPostgres } from '../../../src/platform/db/postgres/postgres.ts';
import { firstStart, processToken, startServerProcess } from '../../support/gatehouse-process.ts';
import { until } from '../../support/jobs.ts';
import { freshPostgresDatabase } from '../../support/postgres.ts';
import { startScimTarget } from '../../support/scim-target.ts';
import { hasPostgres, newFolder } from '../../support/server.ts';
import { localTargets, makeSyncProvider, statusOf } from '../../support/sync.ts';

const people = 300;

test.skipIf(!hasPostgres)(
  'a run belongs to one of two instances, and goes on with the other when that is killed',
  async () => {
    const database = await freshPostgresDatabase();
    const target = await startScimTarget();
    const env = {
      GATEHOUSE_SECRET_KEY: 'one key for both instances, one key for both',
      DATABASE_URL: database?.url ?? '',
      ...firstStart,
      ...localTargets.env,
    };
    const begin = () => startServerProcess({ ...env, GATEHOUSE_DATA_DIR: newFolder() });
    const first = await begin();
    const api = first.as(processToken);
    for (let number = 0; number < people; number += 20) {
      await Promise.all(
        Array.from({ length: 20 }, (_, offset) =>
          api.post('/core/users/', { username: `p-${number + offset}`, name: 'P' }),
        ),
      );
    }
    // The target takes so many people, and lets the others wait until it is told to go on or the server is killed.
    let [limit, isKilled] = [120, false];
    let [open, most, cut] = [0, 0, 0];
    target.fault = async ({ method }) => {
      open += 1;
      most = Math.max(most, open);
      await until(() => target.users.size < limit || isKilled, 120);
      open -= 1;
      if (target.users.size < limit) return null;
      if (method === 'POST') cut += 1;
      return 'cut';
    };
    const provider = await makeSyncProvider(api, 'scim', target.settings);
    await until(() => target.users.size >= limit);
    const second = await begin();
    const other = second.as(processToken);
    // Work for the provider on the other instance waits in a job of its own: else what comes as the run ends would be
    // forgotten.
    for (const username of ['late-1', 'late-2', 'late-3']) await other.post('/core/users/', { username, name: 'L' });
    const db = openPostgres(database?.url ?? '');
    const jobs = async () => {
      const { rows } = await sql<{ state: string }>`select state from jobs
        where kind = 'sync_provider' order by state`.execute(db.read);
      return rows.map(({ state }) => state);
    };
    await expect.poll(jobs).toEqual(['queued', 'running']);
    first.kill('SIGKILL');
    await first.finished;
    isKilled = true;
    await until(() => open === 0);
    limit = Number.POSITIVE_INFINITY;

    const { rows } = await sql<{ position: string }>`select position from sync_runs`.execute(db.read);
    expect(rows).toMatchObject([{ position: expect.stringMatching(/^\d+$/) }]);
    // The lease of the dead instance would run out in a minute.
    await db.write((tx) =>
      sql`update jobs set lease_until = now() - interval '1 second' where state = 'running'`.execute(tx),
    );
    await db.close();
    // A change wakes the other instance.
    await other.post('/core/users/', { username: 'late-4', name: 'L' });
    await until(async () => (await statusOf(other, 'scim', provider.pk)).run.state === 'done', 90);
    expect(await statusOf(other, 'scim', provider.pk)).toMatchObject({ run: { state: 'done', failed: 0, left: 0 } });
    const created = target.requests.filter(({ method, segments }) => method === 'POST' && segments[1] === 'Users');
    expect(target.users.size).toBe((await other.get('/core/users/')).body.pagination.count);
    // Who may have been created before the instance was killed is looked for, and not created once more.
    expect(created).toHaveLength(target.users.size + cut);
    // Two runs at a time would have twice as many connections.
    expect(most).toBeLessThanOrEqual(8);
    await second.stop();
    await target.close();
    await database?.drop();
  },
);
