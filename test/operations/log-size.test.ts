import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openSqlite } from '../../src/platform/db/sqlite/sqlite.ts';
import { newFolder } from '../support/server.ts';

test('the write-ahead log of SQLite shrinks after a long read has ended', async () => {
  const path = join(newFolder(), 'gatehouse.db');
  const db = openSqlite(path);
  const megabytes = () => statSync(`${path}-wal`).size / 2 ** 20;
  const fill = () => db.write((tx) => sql`insert into filling values (zeroblob(${2 ** 20}))`.execute(tx));
  await db.write((tx) => sql`create table filling (bytes blob)`.execute(tx));
  const reader = await db.snapshot();
  for (let count = 0; count < 120; count++) await fill();
  expect(megabytes()).toBeGreaterThan(100);
  await reader.end();
  const afterWrite = async () => {
    await fill();
    return megabytes();
  };
  await expect.poll(afterWrite).toBeLessThan(70);
  await db.close();
});
