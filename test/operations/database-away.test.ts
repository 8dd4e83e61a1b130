import { expect, test } from 'vitest';
import { firstStart, logLines, processToken, startServerProcess } from '../support/gatehouse-process.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';
import { hasPostgres, newFolder } from '../support/server.ts';
import { databaseProxy } from './database-proxy.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test.skipIf(!hasPostgres)(
  'when PostgreSQL goes away during writes, the server answers 503, stays up, and recovers once it is back',
  async () => {
    const database = await freshPostgresDatabase();
    const proxy = await databaseProxy(database?.url ?? '');
    const server = await startServerProcess({
      ...firstStart,
      DATABASE_URL: proxy.url,
      GATEHOUSE_DATA_DIR: newFolder(),
    });
    const admin = server.as(processToken);
    const ready = () => admin.send('GET', '/-/health/ready/');
    expect((await ready()).status).toBe(200);

    const statuses = new Map<number, number>();
    const acknowledged: string[] = [];
    let isOver = false;
    const writers = [1, 2, 3, 4].map(async (line) => {
      for (let number = 0; !isOver; number++) {
        const name = `${line}.${number}`;
        const { status } = await admin.post('/core/groups/', { name });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 201) acknowledged.push(name);
        else await pause(20);
      }
    });
    for (let cut = 0; cut < 3; cut++) {
      await pause(300);
      proxy.away();
      const answer = await ready();
      expect(answer.status).toBe(503);
      expect(answer.body).toEqual({ status: 'the database cannot be reached' });
      expect((await admin.send('GET', '/-/health/live/')).status).toBe(200);
      const refused = await admin.get('/core/groups/');
      expect(refused.status).toBe(503);
      expect(refused.body).toEqual({ detail: 'The service is busy. Try again shortly.', code: 'unavailable' });
      expect(refused.headers.get('retry-after')).toBe('5');
      proxy.back();
      await expect.poll(async () => (await ready()).status).toBe(200);
    }
    isOver = true;
    await Promise.all(writers);
    expect([...statuses.keys()].sort()).toEqual([201, 503]);
    for (const name of acknowledged) {
      const { body } = await admin.get(`/core/groups/?name=${name}`);
      expect(body.pagination.count).toBe(1);
    }

    // Nothing comes back at all: the answer does not wait for it.
    proxy.silent();
    expect((await ready()).status).toBe(503);
    expect((await admin.send('GET', '/-/health/live/')).status).toBe(200);
    proxy.away();
    proxy.back();
    await expect.poll(async () => (await ready()).status).toBe(200);

    const { code, stdout, stderr } = await server.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const errors = logLines(stdout).filter(({ level }) => level === 'error');
    // Jobs miss the database as well, and say so in lines of their own.
    const ofJobs = /^(the job queue cannot be read|a job could not be closed|a schedule could not be queued)$/;
    const failures = errors.filter(({ msg }) => !ofJobs.test(String(msg)));
    expect(failures.length).toBeGreaterThan(3);
    for (const line of failures) {
      expect(line).toMatchObject({ msg: 'request failed', request_id: expect.any(String), res: { status: 503 } });
    }
    await proxy.close();
    await database?.drop();
  },
);
