import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeOnSqlite } from '../support/server.ts';

/** Another program that holds the lock for writing until it is let go. */
async function holdLock(path: string): Promise<() => Promise<void>> {
  const code = `const { DatabaseSync } = require('node:sqlite');
    const db = new DatabaseSync(${JSON.stringify(path)}, { timeout: 10_000 });
    db.exec('begin immediate');
    process.stdin.on('data', () => { db.exec('rollback'); db.close(); process.exit(0); });
    console.log('held');`;
  const holder = spawn(process.execPath, ['-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(holder.stdout, 'data');
  return async () => {
    holder.stdin.write('go\n');
    await once(holder, 'exit');
  };
}

describeOnSqlite('while another program holds the lock of the SQLite file', (server) => {
  const path = () => join(server().world.config.dataDir, 'gatehouse.db');
  const create = () => server().admin.post('/core/groups/', { name: crypto.randomUUID() });

  /** Reads and health checks again and again until `done`; the longest time that one took. */
  async function readUntil(
    done: Promise<unknown>,
  ): Promise<{ longestMs: number; statuses: Set<number>; reads: number }> {
    let isDone = false;
    done.finally(() => {
      isDone = true;
    });
    const statuses = new Set<number>();
    let [longestMs, reads] = [0, 0];
    while (!isDone) {
      const begun = performance.now();
      statuses.add((await server().admin.get('/core/groups/')).status);
      statuses.add((await fetch(`${server().url}/-/health/ready/`)).status);
      longestMs = Math.max(longestMs, performance.now() - begun);
      reads += 1;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return { longestMs, statuses, reads };
  }

  test('reads and health checks are answered, and writes go on once it is free', async () => {
    const letGo = await holdLock(path());
    const writes = Promise.all([create(), create()]);
    const free = new Promise((resolve) => setTimeout(resolve, 3_000)).then(letGo);
    const { longestMs, statuses, reads } = await readUntil(free);
    expect([...statuses]).toEqual([200]);
    // Ten seconds, when SQLite waited on the main thread.
    expect(longestMs).toBeLessThan(2_000);
    expect(reads).toBeGreaterThan(5);
    expect((await writes).map(({ status }) => status)).toEqual([201, 201]);
    expect((await create()).status).toBe(201);
  });

  test('a write is refused after ten seconds, others are answered meanwhile', async () => {
    const letGo = await holdLock(path());
    const write = create();
    const { longestMs, statuses } = await readUntil(write);
    const { status, body } = await write;
    expect([status, body.code]).toEqual([503, 'unavailable']);
    expect([...statuses]).toEqual([200]);
    expect(longestMs).toBeLessThan(2_000);
    await letGo();
    expect((await create()).status).toBe(201);
  });
});
