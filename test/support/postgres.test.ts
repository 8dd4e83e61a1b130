import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { freshPostgresDatabase } from './postgres.ts';

const database = await freshPostgresDatabase();

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe.skipIf(!database)('a fresh PostgreSQL database', () => {
  const url = database?.url ?? '';

  test('is empty and can be written', async () => {
    expect(await ask(url, "select * from pg_tables where schemaname = 'public'")).toEqual([]);
    await ask(url, 'create table note (id int)');
    expect(await ask(url, 'insert into note values (7) returning id')).toEqual([{ id: 7 }]);
  });

  test('is not shared with another test', async () => {
    const other = await freshPostgresDatabase();
    expect(other?.url).not.toBe(url);
    expect(await ask(other?.url ?? '', "select * from pg_tables where schemaname = 'public'")).toEqual([]);
    await other?.drop();
  });

  test('is deleted when dropped, even with open connections', async () => {
    const other = await freshPostgresDatabase();
    const client = new pg.Client({ connectionString: other?.url });
    client.on('error', () => undefined);
    await client.connect();
    await other?.drop();
    await expect(ask(other?.url ?? '', 'select 1')).rejects.toThrow('does not exist');
  });

  test('copies a template that is filled once', async () => {
    let filled = 0;
    const template = {
      name: 'one table',
      async fill(url: string) {
        filled += 1;
        await ask(url, 'create table filled (id int)');
      },
    };
    const copies = await Promise.all([freshPostgresDatabase(template), freshPostgresDatabase(template)]);
    for (const copy of copies) {
      expect(await ask(copy?.url ?? '', 'select * from filled')).toEqual([]);
      await copy?.drop();
    }
    expect(filled).toBe(1);
  });
});
