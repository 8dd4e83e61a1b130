import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';

/** Adds a sentence to the message of the current full run. */
export async function recordRun(tx: Query, provider: number, note: string): Promise<void> {
  const { rows } = await sql<{ pk: string; message: string }>`select pk, message from sync_runs
    where provider = ${provider} and state = 'running'`.execute(tx);
  for (const { pk, message } of rows) {
    if (message.includes(note)) continue;
    await sql`update sync_runs set message = ${`${message} ${note}`.trim()} where pk = ${pk}`.execute(tx);
  }
}
