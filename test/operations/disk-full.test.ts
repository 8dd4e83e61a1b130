import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { firstStart, logLines, processToken, startServerProcess } from '../support/gatehouse-process.ts';
import { signInByPassword } from '../support/password-sign-in.ts';
import { newFolder } from '../support/server.ts';

test('with a full disk, writes are refused, reads go on, and nothing acknowledged is lost', async () => {
  const folder = newFolder();
  const env = { GATEHOUSE_DATA_DIR: folder, ...firstStart };
  await (await startServerProcess(env)).stop();
  const full = await startServerProcess(env, { fileKilobytes: 12_000 });
  const admin = full.as(processToken);
  const acknowledged: string[] = [];
  const refusals: { status: number; code: unknown }[] = [];
  const attributes = { text: 'x'.repeat(500_000) };
  for (let number = 0; refusals.length < 5 && number < 200; number++) {
    const { status, body } = await admin.post('/core/groups/', { name: `large ${number}`, attributes });
    if (status === 201) acknowledged.push(body.pk);
    else refusals.push({ status, code: body.code });
  }
  expect(acknowledged.length).toBeGreaterThan(3);
  expect(refusals).toEqual(Array.from({ length: 5 }, () => ({ status: 503, code: 'unavailable' })));
  // What little room is left is used up too.
  for (let isLeft = true; isLeft; )
    isLeft = (await admin.post('/core/groups/', { name: crypto.randomUUID() })).status === 201;
  expect((await admin.get(`/core/groups/${acknowledged[0]}/`)).status).toBe(200);
  expect((await admin.send('GET', '/-/health/live/')).status).toBe(200);
  const ready = await admin.send('GET', '/-/health/ready/');
  expect([ready.status, ready.body]).toEqual([503, { status: 'the disk is full' }]);
  const steps: number[] = [];
  const ask = async (path: string, init: RequestInit) => {
    const response = await fetch(`${full.url}${path}`, init);
    steps.push(response.status);
    return response;
  };
  for (let turn = 0; turn < 20 && !steps.includes(503); turn++) await signInByPassword(ask, 'somebody', 'a password');
  expect([...new Set(steps)].sort()).toEqual([200, 503]);
  const { stdout } = await full.stop();
  const lines = logLines(stdout);
  // Nothing is wrong with the stage.
  expect(lines.filter(({ msg }) => msg === 'a stage failed')).toEqual([]);
  const failures = lines.filter(({ msg }) => msg === 'request failed');
  expect(failures).toHaveLength(6 + steps.filter((status) => status === 503).length);
  // Load balancers check every second: only changes are logged.
  const notReady = lines.filter(({ msg }) => msg === 'not ready');
  expect(notReady).toMatchObject([{ level: 'warn', status: 'the disk is full' }]);
  for (const { err } of failures) expect(JSON.stringify(err)).toContain('the disk that holds the database is full');

  const roomy = await startServerProcess(env);
  for (const pk of acknowledged) expect((await roomy.as(processToken).get(`/core/groups/${pk}/`)).status).toBe(200);
  expect((await roomy.as(processToken).post('/core/groups/', { name: 'room again', attributes })).status).toBe(201);
  expect((await roomy.stop()).code).toBe(0);
  const db = new DatabaseSync(join(folder, 'gatehouse.db'), { readOnly: true });
  expect(db.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  db.close();
});
