import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { until } from '../../support/jobs.ts';
import { newKey, numbered } from '../../support/many-rows.ts';
import { scimWorkshop } from '../../support/scim-workshop.ts';
import { describeOnSqlite } from '../../support/server.ts';
import { localTargets, makeGroup, settled, statusOf } from '../../support/sync.ts';

const users = 90;

describeOnSqlite(
  'a push to a slow target',
  (server) => {
    const start = scimWorkshop(server);

    test('gives way to other jobs within a batch and resumes behind the last object that was sent', async () => {
      const { target, provider, sent, admin } = await start();
      const slow = await makeGroup(admin);
      const { db, clock } = server().world;
      await db.write(async (tx) => {
        await sql`insert into users (uuid, username, name, email, type, path, attributes, is_active, date_joined, password_change_date)
          ${numbered(db.dialect, 1, users)} select ${newKey(db.dialect)}, 'slow-' || i, '', '', 'internal', 'users', '{}',
          true, ${clock.now()}, ${clock.now()} from n`.execute(tx);
        await sql`insert into user_groups ("user", "group") select pk, ${slow.pk} from users
          where username like 'slow-%'`.execute(tx);
      });
      target.fault = async ({ method }) => {
        if (method === 'POST') await sleep(1_000);
        return null;
      };
      // The users come into scope with the group, so a run sends them all in one batch.
      await admin.patch(`/providers/scim/${provider.pk}/`, { filter_group: slow.pk });
      const firstJob = await until(async () => (await runningJob()) !== undefined).then(runningJob);
      await until(async () => (await runningJob()) !== firstJob, 30);
      const { run } = await statusOf(admin, 'scim', provider.pk);
      // Eight connections, ten seconds.
      expect(run).toMatchObject({ state: 'running', phase: 'users', failed: 0 });
      expect(run.done).toBeGreaterThan(60);
      expect(run.done).toBeLessThan(users);
      await settled(server(), 'scim', provider.pk, 60);
      // No creation was sent or looked for again, as if it had been cut short.
      expect(sent('POST', 'Users')).toHaveLength(users);
      expect(sent('GET', 'Users').length).toBeLessThan(10);
      const { rows } = await sql`select done, failed from sync_runs where provider = ${provider.pk}
        order by started desc limit 1`.execute(db.read);
      expect(rows).toEqual([{ done: run.total, failed: 0 }]);

      async function runningJob(): Promise<string | undefined> {
        const { rows: jobs } = await sql<{ pk: string }>`select pk from jobs
          where kind = 'sync_provider' and state = 'running'`.execute(db.read);
        return jobs[0]?.pk;
      }
    }, 90_000);
  },
  localTargets,
);
