import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database, Query } from '../database.ts';
import { createLogFlush, type LogFlush } from './log-flush.ts';
import { openSqlite } from './sqlite.ts';

let folder: string;
let db: Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-writer-'));
  db = openSqlite(join(folder, 'test.db'));
  await db.write((tx) => sql`create table notes (number integer primary key)`.execute(tx));
});

afterEach(async () => {
  await db.close();
  rmSync(folder, { recursive: true });
});

const note = (number: number) => async (tx: Query) => {
  await sql`insert into notes values (${number})`.execute(tx);
  return number;
};

async function notes(): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`select number from notes order by number`.execute(db.read);
  return rows.map(({ number }) => number);
}

const numbers = Array.from({ length: 100 }, (_, index) => index);

test('concurrent writes are all stored when they resolve, each with its own result', async () => {
  const before = await db.watch?.((query) => sql`select * from notes`.execute(query));
  const seen = numbers.map(async (number) => {
    expect(await db.write(note(number))).toBe(number);
    expect(await notes()).toContain(number);
  });
  await Promise.all(seen);
  expect(await notes()).toEqual(numbers);
  expect(before?.isCurrent()).toBe(false);
});

test('a failed write rolls back only itself, and its effects do not run', async () => {
  const effects: number[] = [];
  const works = numbers.map((number) =>
    db.write(async (tx) => {
      await note(number)(tx);
      db.afterCommit(tx, () => effects.push(number));
      if (number % 3 === 0) throw new Error(`no ${number}`);
    }),
  );
  const ends = await Promise.allSettled(works);
  const kept = numbers.filter((number) => number % 3 !== 0);
  expect(await notes()).toEqual(kept);
  expect(effects).toEqual(kept);
  expect(ends.flatMap((end) => (end.status === 'rejected' ? [end.reason.message] : []))).toEqual(
    numbers.filter((number) => number % 3 === 0).map((number) => `no ${number}`),
  );
});

test('a write after the database is closed is refused', async () => {
  const closed = openSqlite(join(folder, 'closed.db'));
  await closed.close();
  await expect(closed.write(note(1))).rejects.toThrow();
});

test('a read outside an open transaction does not see its writes', async () => {
  const before: number[][] = [];
  await db.write(async (tx) => {
    await note(1)(tx);
    before.push(await notes());
    await new Promise((resolve) => setTimeout(resolve, 5));
    before.push(await notes());
  });
  expect([before, await notes()]).toEqual([[[], []], [1]]);
});

test('the read connection cannot write', async () => {
  await expect(sql`insert into notes values (1)`.execute(db.read)).rejects.toThrow('readonly');
  await expect(sql`insert into notes values (1) returning number`.execute(db.read)).rejects.toThrow('readonly');
  await expect(sql`create table more (number integer)`.execute(db.read)).rejects.toThrow('readonly');
  await expect(sql`pragma user_version = 5`.execute(db.read)).rejects.toThrow('readonly');
  expect(await notes()).toEqual([]);
});

test('a write that fails alone leaves nothing, and the next one works', async () => {
  const failing = db.write(async (tx) => {
    await note(1)(tx);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  await db.write(note(2));
  expect(await notes()).toEqual([2]);
});

test('no write of a failed group transaction resolves', async () => {
  const lost = [db.write(note(1)), db.write((tx) => sql`rollback`.execute(tx)), db.write(note(3))];
  const ends = await Promise.allSettled(lost);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await notes()).toEqual([]);
  await db.write(note(4));
  expect(await notes()).toEqual([4]);
});

test('closing waits for pending writes', async () => {
  const works = numbers.map((number) => db.write(note(number)));
  await db.close();
  await Promise.all(works);
  db = openSqlite(join(folder, 'test.db'));
  expect(await notes()).toEqual(numbers);
});

/** A store on a disk that keeps nothing before it is let, or that breaks. */
async function onSlowDisk(
  work: (store: Database, disk: { flushes: number; let(): void; fail(): void }) => Promise<void>,
) {
  const lost: unknown[] = [];
  let gate = Promise.withResolvers<void>();
  const disk = { flushes: 0, let: () => gate.resolve(), fail: () => gate.reject(new Error('EIO')) };
  const openLog = (path: string): LogFlush => {
    const log = createLogFlush(path);
    const flush = async () => {
      disk.flushes += 1;
      await gate.promise;
      await log.flush();
    };
    return { ...log, flush };
  };
  const store = openSqlite(join(folder, 'test.db'), { openLog, lost: (error) => lost.push(error) });
  await work(store, disk);
  gate = Promise.withResolvers();
  gate.resolve();
  await store.close();
  return lost;
}

const turns = () => new Promise((resolve) => setTimeout(resolve, 20));

test('durable writes resolve only after the sync to disk, other writes do not wait for it', async () => {
  const lost = await onSlowDisk(async (store, disk) => {
    const told: number[] = [];
    const tell = (number: number) => told.push(number);
    store.write(note(1)).then(tell);
    await turns();
    await store.write(note(2), { durable: false }).then(tell);
    const effects: string[] = [];
    store.write(async (tx) => store.afterCommit(tx, () => effects.push('done'))).then(() => tell(3));
    store.write(note(4), { durable: false }).then(tell);
    await turns();
    expect([told, effects, disk.flushes, await notes()]).toEqual([[2], [], 2, [1, 2, 4]]);
    disk.let();
    await expect.poll(() => [told, effects]).toEqual([[2, 1, 3, 4], ['done']]);
  });
  expect(lost).toEqual([]);
});

test('when the sync to disk fails, no write resolves, and the process is told', async () => {
  const lost = await onSlowDisk(async (store, disk) => {
    const write = store.write(note(1));
    await turns();
    disk.fail();
    await expect(write).rejects.toThrow('EIO');
  });
  expect(lost).toMatchObject([{ message: 'EIO' }]);
});

test('writes that arrive during a sync to disk share the next one', async () => {
  const log = createLogFlush(join(folder, 'test.db'));
  const first = log.flush();
  const [second, third] = [log.flush(), log.flush()];
  expect(third).toBe(second);
  expect(second).not.toBe(first);
  await Promise.all([first, second]);
  log.close();
});

test('work that shares a commit runs in the asynchronous context of its own caller', async () => {
  const callers = new AsyncLocalStorage<number>();
  const seen = await Promise.all(
    [1, 2, 3].map((number) => callers.run(number, () => db.write(async () => callers.getStore()))),
  );
  expect(seen).toEqual([1, 2, 3]);
});
