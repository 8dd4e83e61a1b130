import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Query } from '../../src/platform/db/database.ts';
import { isUnreachable } from '../../src/platform/db/unreachable.ts';
import { hasPostgres, startServer, type TestServer } from '../support/server.ts';

describe.skipIf(!hasPostgres)('statements on PostgreSQL', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer('postgres');
  });
  afterAll(() => server.close());

  async function limits(query: Query): Promise<unknown> {
    const { rows } = await sql`select current_setting('statement_timeout') as statement,
      current_setting('lock_timeout') as lock`.execute(query);
    return rows[0];
  }

  test('time out after 15 s, waits for locks after 3 s, except in migrations and bulk loads', async () => {
    const { db } = server.world;
    const short = { statement: '15s', lock: '3s' };
    expect([await limits(db.read), await db.write(limits), await db.write(limits, { durable: false })]).toEqual([
      short,
      short,
      short,
    ]);
    expect(await db.write(limits, { isLong: true })).toEqual({ statement: '0', lock: '0' });
  });

  test.each([
    ['a statement that takes too long', 'statement_timeout', sql`select pg_sleep(10)`, '57014'],
    ['a lock that takes too long', 'lock_timeout', sql`lock table roles in access exclusive mode`, '55P03'],
  ])('%s is reported as a busy database, not as a fault', async (_, setting, statement, code) => {
    const { db } = server.world;
    const held = db.write(async (tx) => {
      await sql`lock table roles in access exclusive mode`.execute(tx);
      const failure = db.write(async (other) => {
        await sql.raw(`set local ${setting} = '50ms'`).execute(other);
        await statement.execute(other);
      });
      return failure.catch((error: unknown) => error);
    });
    const error = await held;
    expect(error).toMatchObject({ code });
    expect(isUnreachable(error)).toBe(true);
  });
});
