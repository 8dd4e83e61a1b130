import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from './database.ts';
import { openSqlite } from './sqlite/sqlite.ts';
import { shapedStatements } from './statement.ts';

let folder: string;
let db: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-statement-'));
  db = openSqlite(join(folder, 'statement.db'));
});

afterEach(async () => {
  await db.close();
  rmSync(folder, { recursive: true });
});

test('a statement of a known shape is not built again, and gets its own values', async () => {
  const run = shapedStatements(10);
  let built = 0;
  const sumOf = (one: number, other: number) =>
    run(db.read, 'a sum', [one, other], () => {
      built += 1;
      return sql`select cast(${one} as integer) + ${other} as sum`;
    });
  expect([await sumOf(1, 2), await sumOf(3, 4), await sumOf(5, 6)]).toEqual([
    [{ sum: 3 }],
    [{ sum: 7 }],
    [{ sum: 11 }],
  ]);
  expect(built).toBe(1);
});

test('a statement with values that its caller does not name is built each time', async () => {
  const run = shapedStatements(10);
  const rowsOf = (own: string) => run(db.read, 'a text', [], () => sql`select ${own} as own`);
  expect([await rowsOf('one'), await rowsOf('other')]).toEqual([[{ own: 'one' }], [{ own: 'other' }]]);
});
