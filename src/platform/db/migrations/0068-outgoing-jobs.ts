import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** Restored copies that send nothing, workers that are counted, and many jobs that wait for one receiver. */
export const outgoingJobs: Migration = {
  name: '0068-outgoing-jobs',
  statements: (dialect) => [
    `alter table "install" add column "outgoing_held_since" ${dialect.columnType('time')}`,
    ...createTable(dialect, 'job_workers', { pk: 'uuid key', seen: 'time' }),
    'drop index "jobs_alone_state"',
    'create index "jobs_alone_state_run_at_pk" on "jobs" ("alone", "state", "run_at", "pk")',
  ],
};
