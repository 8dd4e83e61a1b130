import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';

/** Rows that nothing needs any more. */
export interface Outdated {
  readonly table: string;
  /** What they are called when their number is told. */
  readonly name: string;
  where(now: string): RawBuilder<unknown>;
}

const batchSize = 500;

/** Deletes some rows at a time, so that requests that write need not wait long; returns how many there were. */
export async function deleteInBatches(
  db: Database,
  { table, where }: Outdated,
  now: string,
  signal: AbortSignal,
): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const deleted = await db.write(async (tx) => {
      const { rows } = await sql`delete from ${sql.table(table)} where pk in (
        select pk from ${sql.table(table)} where ${where(now)} limit ${batchSize}) returning pk`.execute(tx);
      return rows.length;
    });
    total += deleted;
    if (deleted < batchSize) break;
  }
  return total;
}
