import { expect, test } from 'vitest';
import type { Database } from './database.ts';
import { createKeptReads } from './kept-reads.ts';

function store() {
  const state = { version: 1 as number | null, value: 'first', reads: 0 };
  const db = { version: () => state.version } as Database;
  const load = async () => {
    state.reads += 1;
    return state.value;
  };
  return { state, db, load };
}

test('what was read is kept until something is committed', async () => {
  const { state, db, load } = store();
  const kept = createKeptReads<string>(10);
  await kept.read(db, 'a', load);
  expect(await kept.read(db, 'a', load)).toBe('first');
  expect([state.reads, kept.count(db)]).toEqual([1, 1]);
  state.value = 'second';
  state.version = 2;
  expect(kept.count(db)).toBe(0);
  expect(await kept.read(db, 'a', load)).toBe('second');
});

test('a commit while it is read is not missed', async () => {
  const { state, db } = store();
  const kept = createKeptReads<string>(10);
  const slow = async () => {
    const { value } = state;
    state.version = 2;
    state.value = 'second';
    return value;
  };
  expect(await kept.read(db, 'a', slow)).toBe('first');
  expect(await kept.read(db, 'a', async () => state.value)).toBe('second');
});

test('another read that noticed a commit does not keep what an earlier one brings in late', async () => {
  const { state, db, load } = store();
  const kept = createKeptReads<string>(10);
  let arrive: (value: string) => void = () => {};
  const late = kept.read(db, 'a', () => new Promise((resolve) => (arrive = resolve)));
  state.version = 2;
  state.value = 'second';
  await kept.read(db, 'b', load);
  arrive('first');
  await late;
  expect(await kept.read(db, 'a', load)).toBe('second');
});

test('nothing is kept where the database does not tell of commits, past the limit, or after clearing', async () => {
  const { state, db, load } = store();
  const kept = createKeptReads<string>(1);
  state.version = null;
  await kept.read(db, 'a', load);
  await kept.read(db, 'a', load);
  expect([state.reads, kept.count(db)]).toEqual([2, 0]);
  state.version = 1;
  await kept.read(db, 'a', load);
  await kept.read(db, 'b', load);
  expect(kept.count(db)).toBe(1);
  kept.clear();
  expect(kept.count(db)).toBe(0);
});
