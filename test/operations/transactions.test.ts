import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/platform/db/database.ts';
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';

const database = await freshPostgresDatabase();

describe.skipIf(!database)('transactions on PostgreSQL', () => {
  let db: Database;
  const insert = (word: string) => sql`insert into words (word) values (${word})`;
  const words = async () => {
    const { rows } = await sql<{ word: string }>`select word from words order by word`.execute(db.read);
    return rows.map(({ word }) => word);
  };

  beforeAll(async () => {
    db = openPostgres(database?.url ?? '');
    await sql`create table words (word text primary key)`.execute(db.read);
  });
  beforeEach(async () => {
    await sql`truncate words`.execute(db.read);
    for (const word of ['one', 'two']) await insert(word).execute(db.read);
  });
  afterAll(async () => {
    await db.close();
    await database?.drop();
  });

  test('run statements in their order, see their own writes and store them by the commit', async () => {
    const seen = await db.write(async (tx) => {
      await insert('three').execute(tx);
      const { rows } = await sql`select word from words`.execute(tx);
      expect(await words()).toEqual(['one', 'two']);
      return rows;
    });
    expect(seen).toEqual([{ word: 'one' }, { word: 'two' }, { word: 'three' }]);
    expect(await words()).toEqual(['one', 'three', 'two']);
  });

  test('run one statement after the other, even when they are started at once', async () => {
    await db.write((tx) => Promise.all(['three', 'four', 'five'].map((word) => insert(word).execute(tx))));
    expect(await words()).toEqual(['five', 'four', 'one', 'three', 'two']);
  });

  test('are rolled back when a statement fails, when the work fails, and when a failure is ignored', async () => {
    const failing = db.write(async (tx) => {
      await insert('three').execute(tx);
      await insert('one').execute(tx);
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    const refusing = db.write(async (tx) => {
      await insert('three').execute(tx);
      throw new Error('refused');
    });
    await expect(refusing).rejects.toThrow('refused');
    const ignoring = db.write(async (tx) => {
      await insert('three').execute(tx);
      await insert('one')
        .execute(tx)
        .catch(() => {});
    });
    await expect(ignoring).rejects.toThrow();
    expect(await words()).toEqual(['one', 'two']);
  });

  test('without a statement neither fail nor keep the connection', async () => {
    expect(await db.write(async () => 'done')).toBe('done');
    await expect(db.write(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    expect(await words()).toEqual(['one', 'two']);
  });

  test('accept no statement after their end', async () => {
    const kept = await db.write(async (tx) => tx);
    await expect(insert('late').execute(kept)).rejects.toThrow('the transaction is over');
    expect(await words()).toEqual(['one', 'two']);
  });

  test('leave the connection to others as it was when their first statement fails', async () => {
    const pid = async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db.read)).rows[0]?.pid;
    const before = await pid();
    for (const turn of [1, 2, 3]) {
      await expect(db.write((tx) => sql`select ${turn} / 0`.execute(tx))).rejects.toMatchObject({ code: '22012' });
      await db.write((tx) => insert(`after ${turn}`).execute(tx));
    }
    // Prepared at the second use, which PostgreSQL refuses before it has described the columns.
    const asNumber = (text: string) => sql`select cast(${text} as int) as number`.execute(db.read);
    await asNumber('1');
    for (const _ of [1, 2]) await expect(asNumber('x')).rejects.toMatchObject({ code: '22P02' });
    expect((await asNumber('3')).rows).toEqual([{ number: 3 }]);
    expect((await words()).filter((word) => word.startsWith('after'))).toHaveLength(3);
    expect(await pid()).toBe(before);
  });

  test('fail, and the process goes on, when a value cannot be read', async () => {
    const endless = db.write((tx) => sql`select 'infinity'::timestamptz as until`.execute(tx));
    await expect(endless).rejects.toThrow('cannot be read: infinity');
    expect((await sql`select now() > '2026-01-01' as is_later`.execute(db.read)).rows).toEqual([{ is_later: true }]);
  });
});
