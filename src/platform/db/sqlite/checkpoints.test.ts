import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCheckpoints } from './checkpoints.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-checkpoints-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

test('checkpoints copy the SQLite write-ahead log into the database file, and the log restarts', async () => {
  const path = join(folder, 'test.db');
  const writer = new DatabaseSync(path);
  writer.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table notes (number integer)');
  const checkpoints = createCheckpoints(path);
  const insert = writer.prepare('insert into notes values (1)');
  for (let count = 0; count < 256; count++) {
    insert.run();
    checkpoints.afterCommit();
  }
  const saltOf = () => readFileSync(`${path}-wal`).toString('hex', 16, 24);
  const before = saltOf();
  /** What would be left if the log were lost. */
  const rowsInFile = () => {
    copyFileSync(path, join(folder, 'copy.db'));
    const copy = new DatabaseSync(join(folder, 'copy.db'));
    const tables = copy.prepare("select 1 from sqlite_master where name = 'notes'").all();
    const rows = tables.length === 0 ? [] : copy.prepare('select * from notes').all();
    copy.close();
    return rows.length;
  };
  await expect.poll(rowsInFile).toBe(256);
  // The first write after a whole checkpoint starts a new log, with another salt in its header.
  const afterWrite = () => {
    insert.run();
    return saltOf();
  };
  await expect.poll(afterWrite).not.toBe(before);
  await checkpoints.close();
  writer.close();
});

test('a checkpoint thread that cannot open the database blocks neither commits nor close, and does not crash the process', async () => {
  const crashes: unknown[] = [];
  const note = (error: unknown) => crashes.push(error);
  process.on('uncaughtException', note);
  try {
    const checkpoints = createCheckpoints(join(folder, 'nowhere', 'test.db'));
    const commitOften = () => {
      for (let count = 0; count < 600; count++) checkpoints.afterCommit();
    };
    expect(commitOften).not.toThrow();
    // The thread has ended once this resolves.
    await expect(checkpoints.close()).resolves.toBeUndefined();
    expect(commitOften).not.toThrow();
    expect(crashes).toEqual([]);
  } finally {
    process.off('uncaughtException', note);
  }
});
