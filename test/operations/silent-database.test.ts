import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts';
import { isUnreachable } from '../../src/platform/db/unreachable.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';
import { databaseProxy } from './database-proxy.ts';

const database = await freshPostgresDatabase();
afterAll(() => database?.drop());

test.skipIf(!database)(
  'connections to a silent database are closed, and new ones are opened once it answers',
  async () => {
    const proxy = await databaseProxy(database?.url ?? '');
    const db = openPostgres(proxy.url, { connections: 8, answerWithinMs: 500 });
    const read = () => sql<{ one: number }>`select 1 as one`.execute(db.read);
    const write = () => db.write((tx) => sql`select 1 as one`.execute(tx));
    await Promise.all([read(), read(), write(), write()]);

    proxy.silent();
    const lost = await Promise.allSettled([read(), read(), write(), write()]);
    expect(lost.map((result) => result.status === 'rejected' && isUnreachable(result.reason))).toEqual([
      true,
      true,
      true,
      true,
    ]);

    // The connections of before would stay silent for ever.
    proxy.back();
    expect((await Promise.all([read(), read(), write(), write()])).map(({ rows }) => rows)).toEqual(
      Array.from({ length: 4 }, () => [{ one: 1 }]),
    );
    await db.close();
    await proxy.close();
  },
);
