import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as loopTurn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '../database.ts';
import { openQueryCaches, queryCache } from '../query-cache.ts';
import { readList } from '../read-list.ts';
import { DatabaseBusy, isUnreachable } from '../unreachable.ts';
import { openSqlite } from './sqlite.ts';

const statementTimeoutMs = 4_000;
let folder: string;
let db: Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-thread-'));
  db = { ...openSqlite(join(folder, 'test.db'), { statementTimeoutMs }), queryCaches: openQueryCaches({ tests: 10 }) };
  await db.write((tx) => sql`create table notes (number integer primary key, word text, is_new int)`.execute(tx));
  await db.write((tx) => sql`insert into notes values (1, 'ÄPFEL', 1), (2, null, 0), (3, 'b', null)`.execute(tx));
});

afterEach(async () => {
  await db.close();
  rmSync(folder, { recursive: true });
});

const rowsOf = <Row>(query: RawBuilder<Row>) => readList(db, async (read) => (await query.execute(read)).rows);

/** Takes about a tenth of a second. */
const long = sql<{ sum: number }>`with recursive n(i) as (select 1 union all select i + 1 from n where i < 600000)
  select sum(i) as sum, (select count(*) from notes) as notes from n`;
const sum = 180_000_300_000;

/** How often the event loop turns meanwhile. */
async function turnsDuring(reading: Promise<unknown>): Promise<number> {
  let isDone = false;
  let turns = 0;
  const done = () => {
    isDone = true;
  };
  reading.then(done, done);
  for (; !isDone; turns++) await loopTurn();
  return turns;
}

test('a long read holds up nothing else', async () => {
  const reading = rowsOf(long);
  expect(await turnsDuring(reading)).toBeGreaterThan(10);
  expect(await reading).toMatchObject([{ sum }]);
});

/** Longer than a statement may take, in steps that check for its end. */
const endless = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000000)
  select sum(i) as sum from n`;

test('a list waits for no other, even if that takes too long', async () => {
  const slow = rowsOf(endless).catch((error: unknown) => error);
  const started = performance.now();
  expect(await rowsOf(sql`select count(*) as count from notes`)).toEqual([{ count: 3 }]);
  expect(performance.now() - started).toBeLessThan(statementTimeoutMs / 2);
  const error = await slow;
  expect(error).toMatchObject({ code: 'unavailable', status: 503 });
  expect(String(error)).toContain('filters');
  expect(await rowsOf(sql`select count(*) as count from notes`)).toEqual([{ count: 3 }]);
});

test('threads read what the main thread reads, and what has just been written', async () => {
  const query = sql`select *, 1.5 as fraction from notes where is_new is null or contains_folded(word, 'äpf') or number > ${2}`;
  expect(await rowsOf(query)).toEqual((await query.execute(db.read)).rows);
  expect(await rowsOf(query)).toEqual([
    { number: 1, word: 'ÄPFEL', is_new: true, fraction: 1.5 },
    { number: 3, word: 'b', is_new: null, fraction: 1.5 },
  ]);
  for (let number = 10; number < 30; number++) {
    await db.write((tx) => sql`insert into notes values (${number}, 'more', 1)`.execute(tx));
    expect(await rowsOf(sql`select max(number) as last from notes`)).toEqual([{ last: number }]);
  }
});

test('it writes nothing, and tells what is wrong as the main thread does', async () => {
  for (const query of [sql`delete from notes`, sql`select * from nowhere`, sql`select abs(-9223372036854775808)`]) {
    const faults = [];
    for (const isQuick of [false, true]) {
      const read = isQuick ? db.snapshot().then(({ query: read }) => query.execute(read)) : rowsOf(query);
      faults.push(
        await read.then(
          () => 'read',
          ({ message, code, errcode }) => ({ message, code, errcode }),
        ),
      );
    }
    expect(faults[0]).toMatchObject({ code: 'ERR_SQLITE_ERROR' });
    expect(faults[0]).toEqual(faults[1]);
  }
  expect(await rowsOf(sql`select count(*) as count from notes`)).toEqual([{ count: 3 }]);
});

test('more reads than may wait are refused as busy', async () => {
  const ends = await Promise.allSettled(Array.from({ length: 1_010 }, () => rowsOf(sql`select 1 as one from notes`)));
  const refused = ends.filter((end) => end.status === 'rejected').map(({ reason }) => reason);
  expect(refused.length).toBe(7);
  for (const reason of refused) expect([reason instanceof DatabaseBusy, isUnreachable(reason)]).toEqual([true, true]);
  expect(await rowsOf(sql`select 1 as one from notes limit 1`)).toEqual([{ one: 1 }]);
});

test('what it has read is cached until a table of it changes', async () => {
  const cache = queryCache<number>('tests');
  const count = () =>
    readList(db, (read) =>
      cache.read({ ...db, read }, 'notes', async (query) => {
        const { rows } = await sql<{ notes: number }>`${long}`.execute(query);
        return rows[0]?.notes ?? 0;
      }),
    );
  for (const notes of [3, 4]) {
    const loading = count();
    expect(await turnsDuring(loading)).toBeGreaterThan(10);
    const cached = count();
    expect(await turnsDuring(cached)).toBeLessThan(5);
    expect([await loading, await cached]).toEqual([notes, notes]);
    await db.write((tx) => sql`insert into notes values (${notes + 1}, '', 1)`.execute(tx));
  }
});

test('if a result exhausts the memory of the thread, this read fails and the next has another thread', async () => {
  const large = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 500)
    select printf('%.*c', 1000000, 'x') || i as text from n`;
  const [failed, beside] = await Promise.allSettled([rowsOf(large), rowsOf(sql`select 1 as one`)]);
  expect(failed).toMatchObject({ reason: { message: 'a thread for lists has ended' } });
  expect(beside).toMatchObject({ value: [{ one: 1 }] });
  expect(await rowsOf(sql`select 1 as one`)).toEqual([{ one: 1 }]);
});

test('closing the database waits for what is being read', async () => {
  const other = openSqlite(join(folder, 'test.db'));
  const reading = other.readList?.(async (read) => (await long.execute(read)).rows);
  // It has asked by then.
  await loopTurn();
  await other.close();
  expect(await reading).toMatchObject([{ sum }]);
  await expect(other.readList?.((read) => long.execute(read))).rejects.toThrow('is closed');
});
