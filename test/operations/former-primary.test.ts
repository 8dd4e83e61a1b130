import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { firstStart, processToken, startServerProcess } from '../support/gatehouse-process.ts';
import { startPair } from '../support/postgres-standby.ts';
import { newFolder } from '../support/server.ts';

async function groupsAt(url: string, pattern: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ n: number }>('select count(*)::int as n from groups where name like $1', [
    pattern,
  ]);
  await client.end();
  return rows[0]?.n ?? -1;
}

// Each instance has the same key, as they share a database.
const settings = (url: string) => ({
  ...firstStart,
  DATABASE_URL: url,
  GATEHOUSE_DATA_DIR: newFolder(),
  GATEHOUSE_SECRET_KEY: 'one key for all instances of this test',
});

test('no instance writes to a former primary that has come back, whether it ran all the time or starts now', async (context) => {
  const pair = await startPair();
  if (!pair) return context.skip('there is no PostgreSQL here');
  const old = await startServerProcess(settings(pair.url));
  await old.as(processToken).post('/core/groups/', { name: 'before' });
  await pair.killPrimary();
  await pair.promoteStandby();
  const admin = old.as(processToken);
  await expect.poll(async () => (await admin.post('/core/groups/', { name: 'moved' })).status).toBe(201);

  await pair.restartPrimary();
  const young = await startServerProcess(settings(pair.url));
  for (const [index, server] of [old, young, old, young].entries()) {
    expect((await server.as(processToken).post('/core/groups/', { name: `after ${index}` })).status).toBe(201);
  }
  expect(await groupsAt(pair.standbyUrl, 'after %')).toBe(4);
  expect(await groupsAt(pair.primaryUrl, 'after %')).toBe(0);

  // Without the promoted one there is none to write to, rather than the former.
  await pair.killStandby();
  const answer = await admin.post('/core/groups/', { name: 'after all' });
  expect(answer.status).toBe(503);
  expect(await groupsAt(pair.primaryUrl, 'after%')).toBe(0);
  await old.stop();
  await young.stop();
  await pair.stop();
});

test('a standby is promoted while the primary goes on: an instance leaves the former primary by itself', async (context) => {
  const pair = await startPair();
  if (!pair) return context.skip('there is no PostgreSQL here');
  const server = await startServerProcess(settings(pair.url));
  const admin = server.as(processToken);
  await admin.post('/core/groups/', { name: 'before' });
  // It goes on without its standby, as one that is asynchronous would.
  const client = new pg.Client({ connectionString: pair.primaryUrl });
  await client.connect();
  await client.query("alter system set synchronous_standby_names = ''");
  await client.query('select pg_reload_conf()');
  await client.end();
  await pair.promoteStandby();

  let number = 0;
  await expect
    .poll(
      async () => {
        await admin.post('/core/groups/', { name: `during ${number++}` });
        await pause(100);
        return groupsAt(pair.standbyUrl, 'during %');
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThan(0);
  const before = await groupsAt(pair.primaryUrl, '%');
  for (let turn = 0; turn < 5; turn++) {
    expect((await admin.post('/core/groups/', { name: `later ${turn}` })).status).toBe(201);
  }
  expect(await groupsAt(pair.primaryUrl, '%')).toBe(before);
  expect(await groupsAt(pair.standbyUrl, 'later %')).toBe(5);
  await server.stop();
  await pair.stop();
});
