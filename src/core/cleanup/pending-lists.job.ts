import type { Database } from '../../platform/db/database.ts';
import { isUnreachable } from '../../platform/db/unreachable.ts';
import type { JobKind } from '../../platform/jobs/job.ts';

const everyMs = 60_000;

/** PostgreSQL empties these lists when they are full, or vacuums a table: too rarely for searches. */
export const pendingListsJob = (empty: NonNullable<Database['emptyPendingLists']>): JobKind => ({
  name: 'empty_pending_lists',
  summary: 'Bring new rows into the indexes for searching on PostgreSQL.',
  oneAtATime: true,
  deleteWhenDone: true,
  everyMs,
  async run() {
    try {
      return `${await empty()} pages emptied.`;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      return 'The database was busy; the rest is done the next time.';
    }
  },
});
