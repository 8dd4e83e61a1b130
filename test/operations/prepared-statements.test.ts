import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts';
import { randomText } from '../../src/platform/random.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';

const database = await freshPostgresDatabase();

describe.skipIf(!database)('statements on PostgreSQL', () => {
  const db = openPostgres(database?.url ?? '');
  afterAll(async () => {
    await db.close();
    await database?.drop();
  });

  const newName = () => `name_${randomText(8).toLowerCase()}`;

  /** How often the connection has run each statement that it holds prepared. */
  async function prepared(containing: string): Promise<number[]> {
    const { rows } = await sql<{ runs: number }>`select generic_plans + custom_plans as runs from pg_prepared_statements
      where strpos(statement, ${containing}) > 0 and strpos(statement, 'pg_prepared_statements') = 0`.execute(db.read);
    return rows.map(({ runs }) => runs);
  }

  test('are prepared once when they are repeated', async () => {
    const name = newName();
    for (let turn = 1; turn <= 5; turn++) await sql`select ${turn}::int as ${sql.raw(name)}`.execute(db.read);
    expect(await prepared(`as ${name}`)).toEqual([4]);
  });

  test('are not prepared when they run once', async () => {
    const name = newName();
    await sql`select 1 as ${sql.raw(name)}`.execute(db.read);
    expect(await prepared(`as ${name}`)).toEqual([]);
  });

  test('are planned for each term when they search with ilike', async () => {
    for (let turn = 1; turn <= 3; turn++) await sql`select 'x' ilike ${`%${turn}%`} as found`.execute(db.read);
    expect(await prepared('as found')).toEqual([]);
  });

  test('keep working after another instance has changed the table, outside a transaction and after one', async () => {
    const things = newName();
    await db.write((tx) => sql`create table ${sql.raw(things)} (pk int)`.execute(tx));
    const read = () => sql`select * from ${sql.raw(things)}`.execute(db.read);
    for (let turn = 1; turn <= 3; turn++) expect((await read()).rows).toEqual([]);
    const other = new pg.Client({ connectionString: database?.url });
    await other.connect();
    await other.query(`alter table ${things} add column name text; insert into ${things} values (1, $$one$$)`);
    await other.end();
    for (let turn = 1; turn <= 3; turn++) expect((await read()).rows).toEqual([{ pk: 1, name: 'one' }]);
  });

  test('do not accumulate, because a connection with many prepared statements is replaced', async () => {
    const [before] = (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db.read)).rows;
    for (let text = 1; text <= 505; text++) {
      for (const _ of [1, 2]) await sql`select ${sql.raw(`${text} as many`)}`.execute(db.read);
    }
    const [after] = (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db.read)).rows;
    expect(after?.pid).not.toBe(before?.pid);
  });
});
