import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { hasPostgres, startServer } from '../support/server.ts';

/**
 * A hundred callers who each asked for 10,000 users at once made the server take up 1.8 GB, and 44 lost their answer.
 */
test.skipIf(!hasPostgres)('large pages are read two at a time, and small ones do not wait for them', async () => {
  const server = await startServer('postgres');
  const holder = new pg.Client({ connectionString: server.world.config.databaseUrl ?? '' });
  await holder.connect();
  await holder.query('begin; lock table roles in access exclusive mode');
  const blocked = async () => {
    // Through a connection without a transaction, in which the view would stay as it is.
    const waits = sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return (await waits.execute(server.world.db.read)).rows.length;
  };

  const large = Array.from({ length: 6 }, (_, at) => server.admin.get(`/rbac/roles/?page_size=${1_001 + at}`));
  await expect.poll(blocked).toBe(2);
  const small = server.admin.get('/rbac/roles/?page_size=10');
  await expect.poll(blocked).toBe(3);

  await holder.query('rollback');
  const answers = await Promise.all([...large, small]);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  await holder.end();
  await server.close();
});
