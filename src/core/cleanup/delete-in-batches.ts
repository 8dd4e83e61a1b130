import { type RawBuilder, sql } from 'kysely';
import type { Database, Query } from '../../platform/db/database.ts';

/** Rows of one table that are to be deleted. */
export interface Outdated {
  readonly table: string;
  /** Their name in the task's message. */
  readonly name: string;
  where(now: string): RawBuilder<unknown>;
}

/** The rows that one transaction deletes: few enough that other writers do not notice the wait. */
export const deletionBatch = 500;

/** Deletes in batches, so that other writers do not wait long; returns the number of rows. */
export async function deleteInBatches(
  db: Database,
  { table, where }: Outdated,
  now: string,
  signal: AbortSignal,
): Promise<number> {
  // A delete that finds nothing would still wake the triggers of its table.
  const { rows: some } = await sql`select pk from ${sql.table(table)} where ${where(now)} limit 1`.execute(db.read);
  if (some.length === 0) return 0;
  let total = 0;
  while (!signal.aborted) {
    const deleted = await db.write((tx) => deleteBatch(tx, table, where(now)));
    total += deleted;
    if (deleted < deletionBatch) break;
  }
  return total;
}

/** Deletes the first of the rows; returns their number, which is `deletionBatch` while there may be more. */
export async function deleteBatch(tx: Query, table: string, condition: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql`delete from ${sql.table(table)} where pk in (
    select pk from ${sql.table(table)} where ${condition} limit ${deletionBatch}) returning pk`.execute(tx);
  return rows.length;
}
