import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openPostgres } from '../../../src/platform/db/postgres.ts';
import { firstStart, processToken, startServerProcess } from '../../support/gatehouse-process.ts';
import { until } from '../../support/jobs.ts';
import { freshPostgresDatabase } from '../../support/postgres.ts';
import { startScimTarget } from '../../support/scim-target.ts';
import { hasPostgres, newFolder } from '../../support/server.ts';
import { localTargets, makeSyncProvider, statusOf } from '../../support/sync.ts';

const people = 300;

test.skipIf(!hasPostgres)(
  'a run belongs to one of two instances, and goes on with the other when that is killed',
  { timeout: 180_000 },
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
    let [open, most] = [0, 0];
    target.fault = async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 60));
      open -= 1;
      return null;
    };
    const provider = await makeSyncProvider(api, 'scim', target.settings);
    const second = await begin();
    const other = second.as(processToken);
    // Work for the provider on the other instance, which has to wait for the run.
    await until(() => target.users.size > 20, 60);
    for (const username of ['late-1', 'late-2', 'late-3']) await other.post('/core/users/', { username, name: 'L' });
    await until(() => target.users.size > 120, 60);
    first.kill('SIGKILL');
    await first.finished;
    const there = target.users.size;
    expect(there).toBeLessThan(people);

    const db = openPostgres(database?.url ?? '');
    const { rows } = await sql<{ position: string }>`select position from sync_runs`.execute(db.read);
    expect(rows).toMatchObject([{ position: expect.stringMatching(/^\d+$/) }]);
    // The lease of the dead instance would run out in a minute.
    await db.write((tx) =>
      sql`update jobs set lease_until = now() - interval '1 second' where state = 'running'`.execute(tx),
    );
    await db.close();
    await until(async () => (await statusOf(other, 'scim', provider.pk)).run.state === 'done', 90);
    expect(await statusOf(other, 'scim', provider.pk)).toMatchObject({ run: { state: 'done', failed: 0, left: 0 } });
    const created = target.requests.filter(({ method, segments }) => method === 'POST' && segments[1] === 'Users');
    expect(target.users.size).toBe((await other.get('/core/users/')).body.pagination.count);
    // At most the batch that was under way is tried twice, and nobody is there twice.
    expect(created.length).toBeLessThanOrEqual(target.users.size + 100);
    // Two runs at a time would have twice as many connections.
    expect(most).toBeLessThanOrEqual(8);
    await second.stop();
    await target.close();
    await database?.drop();
  },
);
