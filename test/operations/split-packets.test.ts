import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/platform/db/database.ts';
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';
import { type DatabaseProxy, databaseProxy } from './database-proxy.ts';

const database = await freshPostgresDatabase();
afterAll(() => database?.drop());

// Of one byte, less than the head of a message (5 bytes), and across messages.
describe.skipIf(!database).each([1, 3, 11])('responses of PostgreSQL that arrive in pieces of %i bytes', (bytes) => {
  let proxy: DatabaseProxy;
  let db: Database;
  const insert = (word: string) => sql`insert into words (word) values (${word})`;
  const words = async () => {
    const { rows } = await sql<{ word: string }>`select word from words order by word`.execute(db.read);
    return rows.map(({ word }) => word);
  };
  const pid = async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db.read)).rows[0]?.pid;

  beforeAll(async () => {
    proxy = await databaseProxy(database?.url ?? '', { bytesAtATime: bytes });
    // One for writers: each transaction uses the connection of the one before.
    db = openPostgres(proxy.url, { connections: 2 });
    await sql`drop table if exists words`.execute(db.read);
    await sql`create table words (word text primary key)`.execute(db.read);
  });
  afterAll(async () => {
    await db.close();
    await proxy.close();
  });

  test('are read whole, prepared or not', async () => {
    const rows = Array.from({ length: 5 }, (_, index) => ({ number: index, text: '€'.repeat(index), none: null }));
    for (const _ of [1, 2, 3]) {
      const found = await sql`select n as number, repeat('€', n) as text, null as none
        from generate_series(0, ${4}::int) n`.execute(db.read);
      expect(found.rows).toEqual(rows);
    }
  });

  test('leave the connection usable after a transaction whose first statement fails', async () => {
    const before = await pid();
    for (const turn of [1, 2, 3]) {
      const failed = db.write((tx) => sql`select ${turn} / 0`.execute(tx));
      await expect(failed).rejects.toMatchObject({ code: '22012' });
      await db.write((tx) => insert(`turn ${turn}`).execute(tx));
    }
    expect(await words()).toEqual(['turn 1', 'turn 2', 'turn 3']);
    expect(await pid()).toBe(before);
  });

  test('roll back a transaction when one of its statements fails', async () => {
    const failed = db.write(async (tx) => {
      await insert('never').execute(tx);
      await insert('turn 1').execute(tx);
    });
    await expect(failed).rejects.toMatchObject({ code: '23505' });
    const stored = db.write(async (tx) => {
      await insert('last').execute(tx);
      return (await sql`select count(*)::int as count from words`.execute(tx)).rows;
    });
    expect(await stored).toEqual([{ count: 4 }]);
    expect(await words()).toEqual(['last', 'turn 1', 'turn 2', 'turn 3']);
  });
});
