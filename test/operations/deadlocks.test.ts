import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/platform/db/postgres/postgres.ts';
import { isUnreachable } from '../../src/platform/db/unreachable.ts';
import { freshPostgresDatabase } from '../support/postgres.ts';

const database = await freshPostgresDatabase();

describe.skipIf(!database)('two deadlocked transactions on PostgreSQL', () => {
  const db = openPostgres(database?.url ?? '');
  afterAll(async () => {
    await db.close();
    await database?.drop();
  });

  /** Two transactions that each change both rows, in opposite order, and meet in the middle. */
  async function collide(options = {}) {
    await db.write((tx) => sql`drop table if exists rows_of_test`.execute(tx));
    await db.write((tx) =>
      sql`create table rows_of_test as select n as pk, 0 as turns from generate_series(1, 2) n`.execute(tx),
    );
    const meeting = Promise.withResolvers<void>();
    let there = 0;
    let runs = 0;
    const work = (order: readonly [number, number]) =>
      db.write(async (tx) => {
        runs += 1;
        const change = (pk: number) => sql`update rows_of_test set turns = turns + 1 where pk = ${pk}`.execute(tx);
        await change(order[0]);
        there += 1;
        if (there === 2) meeting.resolve();
        await meeting.promise;
        await change(order[1]);
      }, options);
    const ends = await Promise.allSettled([work([1, 2]), work([2, 1])]);
    const { rows } = await sql<{ turns: number }>`select turns from rows_of_test order by pk`.execute(db.read);
    return { ends, runs, turns: rows.map(({ turns }) => turns) };
  }

  test('both succeed, because the one that was rolled back is retried', async () => {
    const { ends, runs, turns } = await collide();
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect({ runs, turns }).toEqual({ runs: 3, turns: [2, 2] });
  });

  test('one that cannot be retried fails with a busy error and changes nothing', async () => {
    const { ends, turns } = await collide({ isRepeatable: false });
    const failed = ends.filter((end) => end.status === 'rejected');
    expect(failed.map(({ reason }) => isUnreachable(reason))).toEqual([true]);
    expect(turns).toEqual([1, 1]);
  });
});
