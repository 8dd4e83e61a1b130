import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { hasPostgres, startServer } from '../support/server.ts';

test.skipIf(!hasPostgres)('a locked table delays only requests that need it, for at most 15 s', async () => {
  const server = await startServer('postgres');
  const holder = new pg.Client({ connectionString: server.world.config.databaseUrl ?? '' });
  await holder.connect();
  await holder.query('begin; lock table roles in access exclusive mode');

  const stuck: number[] = [];
  const waiting = Array.from({ length: 60 }, async (_, number) => {
    const { status } = await (number % 2
      ? server.admin.get(`/rbac/roles/?page_size=${number}`)
      : server.admin.post('/rbac/roles/', { name: `role ${number}` }));
    stuck.push(status);
  });
  // Others get their answers all the while.
  const others: number[] = [];
  while (stuck.length < waiting.length) {
    const { status } = await server.admin.post('/policies/dummy/', { name: crypto.randomUUID() });
    others.push(status, (await server.admin.get('/core/users/')).status);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await Promise.all(waiting);
  expect(new Set(stuck)).toEqual(new Set([503]));
  expect(new Set(others)).toEqual(new Set([200, 201]));
  expect(others.length).toBeGreaterThan(10);

  await holder.query('rollback');
  await holder.end();
  expect((await server.admin.get('/rbac/roles/')).status).toBe(200);
  expect((await sql`select 1`.execute(server.world.db.read)).rows).toHaveLength(1);
  await server.close();
});
