import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database, Query } from './database.ts';
import { openQueryCaches, queryCache } from './query-cache.ts';
import { openSqlite } from './sqlite/sqlite.ts';

let folder: string;
let db: Database;
let reads: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-kept-'));
  const path = join(folder, 'kept.db');
  const tables = new DatabaseSync(path);
  tables.exec(`create table owners (pk integer primary key, name text);
    create table things (pk integer primary key, owner integer references owners on delete cascade);
    create table log (line text);
    create table counts (things integer);
    create trigger count_things after insert on things begin update counts set things = things + 1; end;
    insert into owners values (1, 'ada'), (2, 'bob'); insert into things values (1, 1), (2, 1), (3, 2); insert into counts values (0)`);
  tables.close();
  db = { ...openSqlite(path), queryCaches: openQueryCaches({ tests: 2 }) };
  reads = 0;
});

afterEach(async () => {
  await db.close();
  rmSync(folder, { recursive: true });
});

const kept = queryCache<unknown>('tests');

const rowsOf = (text: string) => async (query: Query) => {
  reads += 1;
  return (await sql.raw(text).execute(query)).rows;
};
const readTwice = async (text: string, change: string): Promise<[unknown, unknown, number]> => {
  const before = await kept.read(db, text, rowsOf(text));
  await db.write((tx) => sql.raw(change).execute(tx));
  return [before, await kept.read(db, text, rowsOf(text)), reads];
};

const names = 'select name from owners order by pk';

test('cached rows stay cached while other tables change', async () => {
  expect(await readTwice(names, "insert into log values ('x')")).toEqual([
    [{ name: 'ada' }, { name: 'bob' }],
    [{ name: 'ada' }, { name: 'bob' }],
    1,
  ]);
  expect(kept.count(db)).toBe(1);
});

test.each([
  ['by a statement', names, "update owners set name = 'eve' where pk = 1", [{ name: 'eve' }, { name: 'bob' }]],
  [
    'in a join',
    "select t.pk from things t join owners o on o.pk = t.owner where o.name = 'bob'",
    "update owners set name = 'eve'",
    [],
  ],
  ['where only rows are counted', 'select count(*) as n from things', 'delete from things where pk = 1', [{ n: 2 }]],
  ['by a cascade', 'select pk from things', 'delete from owners where pk = 1', [{ pk: 3 }]],
  ['by a trigger', 'select things from counts', 'insert into things values (4, 1)', [{ things: 1 }]],
  ['itself', names, 'alter table owners drop column name', null],
])('cached rows are read again once a table has changed: %s', async (_, text, change, expected) => {
  const reading = readTwice(text, change);
  if (expected === null) await expect(reading).rejects.toThrow('no such column');
  else expect((await reading)[1]).toEqual(expected);
});

test('the query cache notices writes of another process', async () => {
  await kept.read(db, names, rowsOf(names));
  const other = new DatabaseSync(join(folder, 'kept.db'));
  other.exec("insert into log values ('y')");
  other.close();
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(kept.count(db)).toBe(0);
});

test('the query cache notices a commit during a read', async () => {
  const slow = async (query: Query) => {
    const rows = await rowsOf(names)(query);
    await db.write((tx) => sql`delete from owners where pk = 2`.execute(tx));
    return rows;
  };
  await kept.read(db, 'slow', slow);
  expect(await kept.read(db, 'slow', rowsOf(names))).toEqual([{ name: 'ada' }]);
});

test('a rolled-back transaction does not invalidate the query cache', async () => {
  await kept.read(db, names, rowsOf(names));
  await expect(
    db.write(async (tx) => {
      await sql`delete from owners`.execute(tx);
      expect(await kept.read(db, names, rowsOf(names))).toHaveLength(2);
      throw new Error('undone');
    }),
  ).rejects.toThrow('undone');
  expect(await kept.read(db, names, rowsOf(names))).toHaveLength(2);
});

test('what is not there is not kept, nor what is past the limit, cleared, or of a database that does not tell', async () => {
  const nothing = async () => null;
  await kept.read(db, 'nothing', nothing);
  expect(kept.count(db)).toBe(0);
  for (const key of ['a', 'b', 'c']) await kept.read(db, key, rowsOf(names));
  expect(kept.count(db)).toBe(2);
  kept.clear(db);
  expect(kept.count(db)).toBe(0);
  const silent = { ...db, watch: null };
  reads = 0;
  for (const key of ['a', 'a']) await kept.read(silent, key, rowsOf(names));
  expect(reads).toBe(2);
});
