import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/platform/db/database.ts';
import { runLast, runLater } from '../../src/platform/db/later.ts';
import { openPostgres } from '../../src/platform/db/postgres.ts';
import { statement } from '../../src/platform/db/statement.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';

const database = await freshPostgresDatabase();

describe.skipIf(!database)('statements that PostgreSQL gets in one packet', () => {
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

  test('run in their order and are stored by the commit', async () => {
    const seen = await db.write(async (tx) => {
      await runLater(tx, insert('three'));
      const { rows } = await sql`select word from words`.execute(tx);
      await runLater(tx, insert('four'));
      return rows;
    });
    expect(seen).toEqual([{ word: 'one' }, { word: 'two' }, { word: 'three' }]);
    expect(await words()).toEqual(['four', 'one', 'three', 'two']);
  });

  test('fail the transaction with the error of the first that fails', async () => {
    const twice = db.write(async (tx) => {
      await runLater(tx, insert('three'));
      await runLater(tx, insert('one'));
      await sql`select 1`.execute(tx);
    });
    await expect(twice).rejects.toMatchObject({ code: '23505' });
    const atCommit = db.write((tx) => runLater(tx, insert('two')));
    await expect(atCommit).rejects.toMatchObject({ code: '23505' });
    const last = db.write(async (tx) => {
      await runLater(tx, insert('four'));
      await runLater(tx, insert('one'));
      await runLast(tx, sql`select 1`);
    });
    await expect(last).rejects.toMatchObject({ code: '23505' });
    expect(await words()).toEqual(['one', 'two']);
  });

  test('fail the transaction with the error of the first that must find a row and finds none', async () => {
    const remove = (word: string) =>
      statement<[], unknown>(() => sql`delete from words where word = ${word} returning word`, {
        sent: 'later',
        orElse: () => new Error(`no ${word}`),
      });
    const refused = db.write(async (tx) => {
      await runLater(tx, insert('three'));
      await remove('two')(tx);
      await remove('four')(tx);
      await remove('five')(tx);
      await runLast(tx, sql`select 1`);
    });
    await expect(refused).rejects.toThrow('no four');
    await expect(db.write((tx) => remove('six')(tx))).rejects.toThrow('no six');
    const beforeItsEnd = db.write(async (tx) => {
      await remove('seven')(tx);
      await sql`select 1`.execute(tx);
      throw new Error('it went on');
    });
    await expect(beforeItsEnd).rejects.toThrow('no seven');
    expect(await words()).toEqual(['one', 'two']);
    await db.write(async (tx) => {
      await remove('one')(tx);
      await remove('two')(tx);
    });
    expect(await words()).toEqual([]);
  });

  test('are dropped when the transaction is rolled back before they were sent', async () => {
    const refused = db.write(async (tx) => {
      await runLater(tx, insert('five'));
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    expect(await words()).toEqual(['one', 'two']);
  });

  test('the last is answered once the transaction is committed, and nothing may follow it', async () => {
    const late = db.write(async (tx) => {
      await runLater(tx, insert('six'));
      const { rows } = await runLast(tx, sql`select word from words where word = 'six'`);
      expect(rows).toEqual([{ word: 'six' }]);
      expect(await words()).toContain('six');
      await insert('seven').execute(tx);
    });
    await expect(late).rejects.toThrow('after the last');
    expect(await words()).toEqual(['one', 'six', 'two']);
    // The connection serves others as before.
    await db.write((tx) => insert('eight').execute(tx));
    expect(await words()).toContain('eight');
  });

  test('leave the connection to others as it was when the first of a transaction fails', async () => {
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
