import { type RawBuilder, sql } from 'kysely';
import type { Database, Query } from '../../platform/db/database.ts';
import type { JobKind, Jobs } from '../../platform/jobs/job.ts';
import type { Call } from '../../resource/call.ts';
import type { RowAlias } from '../../resource/fields/field.ts';
import { deleteBatch, deleteInBatches, deletionBatch } from '../cleanup/delete-in-batches.ts';

const kind = 'delete_events_of_users';

/**
 * Deletes the events that a deleted user caused. Those of a program that signs in every minute would keep other
 * writers waiting for seconds: beyond the first batch they are hidden, and a job deletes them.
 */
export async function deleteEventsOfUser(tx: Query, call: Call, jobs: Jobs, user: number): Promise<void> {
  if ((await deleteBatch(tx, 'events', sql`user_pk = ${user}`)) < deletionBatch) return;
  await sql`insert into user_deletions (pk, deleted) values (${user}, ${call.now})`.execute(tx);
  await jobs.enqueue(tx, { kind, key: kind });
}

/** Excludes the events that wait for the job; null if none do, which is nearly always. */
export async function withoutDeletedUsers(row: RowAlias, { db }: Call): Promise<RawBuilder<unknown> | null> {
  const { rows } = await sql`select 1 from user_deletions limit 1`.execute(db.read);
  if (rows.length === 0) return null;
  return sql`not exists (select 1 from user_deletions d where d.pk = ${row.col('user_pk')})`;
}

/** The condition is bound to one user: by a join PostgreSQL could choose to read all events for each batch. */
export const deletedUsersJob = (db: Database): JobKind => ({
  name: kind,
  summary: 'Delete the events of deleted users.',
  oneAtATime: true,
  // Also processes what a permanently failed job has left.
  everyMs: 24 * 60 * 60 * 1_000,
  async run({ signal }) {
    const { rows: users } = await sql<{ pk: number }>`select pk from user_deletions`.execute(db.read);
    let total = 0;
    for (const { pk } of users) {
      const where = () => sql`user_pk = ${pk}`;
      total += await deleteInBatches(db, { table: 'events', name: 'events', where }, '', signal);
      // The server is stopping: the job is claimed again after the next start.
      if (signal.aborted) throw new Error('interrupted');
      await db.write((tx) => sql`delete from user_deletions where pk = ${pk}`.execute(tx));
    }
    return total > 0 ? `${total} events removed.` : 'Nothing to do.';
  },
});
