import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';

export interface Outdated {
  readonly table: string;
  /** Their name in the task's message. */
  readonly name: string;
  where(now: string): RawBuilder<unknown>;
}

const batchSize = 500;

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
