import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database, Query } from './database.ts';
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

test('writes that come together are all there when they resolve, each with its own answer', async () => {
  const before = await db.watch?.((query) => sql`select * from notes`.execute(query));
  const seen = numbers.map(async (number) => {
    expect(await db.write(note(number))).toBe(number);
    expect(await notes()).toContain(number);
  });
  await Promise.all(seen);
  expect(await notes()).toEqual(numbers);
  expect(before?.isCurrent()).toBe(false);
});

test('one that fails undoes nothing but itself, and its effects never happen', async () => {
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

test('a write that fails alone leaves nothing, and the next one works', async () => {
  const failing = db.write(async (tx) => {
    await note(1)(tx);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  await db.write(note(2));
  expect(await notes()).toEqual([2]);
});

test('when the whole transaction is lost nobody in it is told of success', async () => {
  const lost = [db.write(note(1)), db.write((tx) => sql`rollback`.execute(tx)), db.write(note(3))];
  const ends = await Promise.allSettled(lost);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await notes()).toEqual([]);
  await db.write(note(4));
  expect(await notes()).toEqual([4]);
});

test('closing waits for what was asked for', async () => {
  const works = numbers.map((number) => db.write(note(number)));
  await db.close();
  await Promise.all(works);
  db = openSqlite(join(folder, 'test.db'));
  expect(await notes()).toEqual(numbers);
});
