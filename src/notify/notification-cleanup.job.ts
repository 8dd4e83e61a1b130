import { sql } from 'kysely';
import { deleteOutdated } from '../core/cleanup/cleanup.jobs.ts';
import type { Outdated } from '../core/cleanup/delete-in-batches.ts';
import type { JobKind } from '../platform/jobs/job.ts';
import type { Call } from '../resource/call.ts';

const oldNotifications: Outdated = {
  table: 'notifications',
  name: 'notifications',
  where: () => sql`seen or event is null`,
};

export const notificationCleanupJob = (systemCall: () => Call): JobKind => ({
  name: 'notification_cleanup',
  summary: 'Delete notifications that were seen or whose event was deleted.',
  oneAtATime: true,
  everyMs: 8 * 60 * 60_000,
  run: (job) => deleteOutdated([oldNotifications], systemCall(), job),
});
