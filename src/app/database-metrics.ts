import { sql } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/database.ts';
import { countJobs, oldestRetry } from '../platform/jobs/queue.ts';
import type { Metrics } from '../platform/metrics.ts';
import { syncFigures } from '../provider/sync/figures.ts';

/** Figures that are read from the database at each scrape; left out while it cannot be read. */
export function watchDatabase(metrics: Metrics, db: Database, clock: Clock): void {
  metrics.watchJobs(() => countJobs(db).catch(() => ({})));
  metrics.watchFigures(
    'gatehouse_jobs_oldest_retry_seconds',
    'Age of the oldest job that has failed and will be tried again, in seconds; 0 if there is none.',
    [],
    async () => [{ labels: {}, value: await oldestRetry(db, clock.now()) }],
  );
  metrics.watchFigures(
    'gatehouse_sync_objects',
    'Objects that providers push: outstanding, failed for now, and those of the last full run that are done, left or failed.',
    ['provider', 'state'],
    () => syncFigures(db.read),
  );
  metrics.watchFigures(
    'gatehouse_last_backup_timestamp_seconds',
    'When the last backup by gatehouse backup was finished, in seconds since 1970; missing if there was none.',
    [],
    async () => {
      const { rows } = await sql<{ last_backup: string | null }>`select last_backup from install`.execute(db.read);
      const at = rows[0]?.last_backup;
      return at ? [{ labels: {}, value: Date.parse(at) / 1000 }] : [];
    },
  );
}
