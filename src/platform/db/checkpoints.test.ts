import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
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

test('what is in the log comes into the database, and the log begins anew', async () => {
  const path = join(folder, 'test.db');
  const writer = new DatabaseSync(path);
  writer.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table notes (number integer)');
  const checkpoints = createCheckpoints(path);
  const insert = writer.prepare('insert into notes values (1)');
  for (let count = 0; count < 256; count++) {
    insert.run();
    checkpoints.afterCommit();
  }
  /** What would be left if the log were lost. */
  const rowsInFile = () => {
    copyFileSync(path, join(folder, 'copy.db'));
    const copy = new DatabaseSync(join(folder, 'copy.db'));
    const tables = copy.prepare("select 1 from sqlite_master where name = 'notes'").all();
    const rows = tables.length === 0 ? [] : copy.prepare('select * from notes').all();
    copy.close();
    return rows.length;
  };
  await expect.poll(rowsInFile, { timeout: 10_000 }).toBe(256);
  insert.run();
  const { log } = writer.prepare('pragma wal_checkpoint(passive)').get() as { log: number };
  expect(log).toBeLessThan(10);
  await checkpoints.close();
  writer.close();
});

test('where it cannot be done nobody else is held up', async () => {
  const checkpoints = createCheckpoints(join(folder, 'nowhere', 'test.db'));
  for (let count = 0; count < 600; count++) checkpoints.afterCommit();
  await new Promise((resolve) => setTimeout(resolve, 200));
  for (let count = 0; count < 600; count++) checkpoints.afterCommit();
  await checkpoints.close();
});
