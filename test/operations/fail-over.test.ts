import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { firstStart, processToken, startServerProcess } from '../support/gatehouse-process.ts';
import { startPair } from '../support/postgres-standby.ts';
import { newFolder } from '../support/server.ts';

test('the primary dies under load and its standby takes over: the server follows, and nothing acknowledged is lost', async (context) => {
  const pair = await startPair();
  if (!pair) return context.skip('there is no PostgreSQL here');
  const server = await startServerProcess({ ...firstStart, DATABASE_URL: pair.url, GATEHOUSE_DATA_DIR: newFolder() });
  const admin = server.as(processToken);
  const acknowledged: string[] = [];
  const statuses = new Set<number>();
  let isOver = false;
  const writers = [1, 2, 3, 4].map(async (line) => {
    for (let number = 0; !isOver; number++) {
      const name = `${line}.${number}`;
      const { status } = await admin.post('/core/groups/', { name });
      statuses.add(status);
      if (status === 201) acknowledged.push(name);
      else await pause(50);
    }
  });
  await expect.poll(() => acknowledged.length).toBeGreaterThan(20);

  await pair.killPrimary();
  await expect.poll(() => statuses.has(503)).toBe(true);
  await pair.promoteStandby();
  const before = acknowledged.length;
  await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 20);
  isOver = true;
  await Promise.all(writers);
  expect([...statuses].sort()).toEqual([201, 503]);
  for (const name of acknowledged) {
    expect((await admin.get(`/core/groups/?name=${name}`)).body.pagination.count).toBe(1);
  }
  expect((await server.stop()).code).toBe(0);
  await pair.stop();
});
