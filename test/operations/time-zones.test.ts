import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';
import { databaseProxy } from './database-proxy.ts';

const database = await freshPostgresDatabase();
const url = database?.url ?? '';
afterAll(() => database?.drop());

describe.skipIf(!database)('a PostgreSQL with a time zone other than UTC', () => {
  test('returns times as they were stored, in columns and in nested JSON', async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`alter database "${new URL(url).pathname.slice(1)}" set timezone = 'Asia/Tokyo'`);
    await client.end();
    const db = openPostgres(url);
    const moment = '2026-01-02T03:04:05.678900Z';
    const { rows } = await sql<{ at: string; nested: string }>`select ${moment}::timestamptz as at,
      to_json(${moment}::timestamptz) as nested`.execute(db.read);
    expect(rows).toEqual([{ at: moment, nested: '"2026-01-02T03:04:05.6789+00:00"' }]);
    await db.close();
  });

  test('is refused when the time zone cannot be set', async () => {
    const proxy = await databaseProxy(url, {
      alter: (chunk) => Buffer.from(chunk.toString('latin1').replace("timezone = 'UTC'", "timezone = 'PRC'"), 'latin1'),
    });
    const db = openPostgres(proxy.url);
    await expect(db.ping()).rejects.toThrow('the time zone PRC although UTC was set');
    await db.close();
    await proxy.close();
  });
});
