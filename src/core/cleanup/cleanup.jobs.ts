import { sql } from 'kysely';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { JobKind, RunningJob } from '../../platform/jobs/job.ts';
import type { Call } from '../../resource/call.ts';
import { deleteInBatches, type Outdated } from './delete-in-batches.ts';
import { growingTables } from './growing-tables.ts';
import { type RotationNeeds, rotateTokens } from './rotate-tokens.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
export const jobsAreKeptMs = 7 * 24 * hourMs;

interface Dependencies extends RotationNeeds {
  readonly db: Pick<Database, 'analyze'>;
  /** A call by the server itself, at the current time. */
  systemCall(): Call;
  /** Tables with an expiry. Readers check it on every use; deleting the rows only frees space. */
  readonly expiring: readonly Outdated[];
  /** What refers to objects that are gone. */
  orphaned(): Promise<readonly Outdated[]>;
}

/** Rows whose `expires` has passed. */
export const expired = (table: string, name: string): Outdated => ({
  table,
  name,
  where: (now) => sql`expires <= ${now}`,
});

/** Rows whose `expires` has passed; null never expires. */
export const expiredUnlessEndless = (table: string, name: string): Outdated => ({
  table,
  name,
  where: (now) => sql`expiring and expires <= ${now}`,
});

export function cleanupJobs({ db, systemCall, expiring, orphaned, ...rotation }: Dependencies): JobKind[] {
  return [
    {
      name: 'clean_expired_models',
      summary: 'Delete expired objects, and rotate the keys of expired API tokens.',
      oneAtATime: true,
      everyMs: 5 * minuteMs,
      async run(job) {
        const rotated = await rotateTokens(rotation, systemCall, job.signal);
        const deleted = await deleteAll([expiredTokens, ...expiring, ...(await orphaned())], systemCall(), job);
        return report([...(rotated > 0 ? [`${rotated} tokens rotated`] : []), ...deleted]);
      },
    },
    {
      name: 'job_cleanup',
      summary: 'Delete the records of jobs that ended a week ago.',
      oneAtATime: true,
      everyMs: hourMs,
      run: (job) => deleteOutdated([oldJobs], systemCall(), job),
    },
    ...(db.analyze ? [analyzeJob(db.analyze)] : []),
  ];
}

/** PostgreSQL analyzes a table only after many changes, so never small ones. */
const analyzeJob = (analyze: NonNullable<Database['analyze']>): JobKind => ({
  name: 'analyze_database',
  summary: 'Tell the query planner how many rows the tables have.',
  oneAtATime: true,
  everyMs: 24 * hourMs,
  async run() {
    await analyze(growingTables);
    return 'Done.';
  },
});

const expiredTokens: Outdated = {
  table: 'tokens',
  name: 'tokens',
  where: (now) => sql`intent <> 'api' and expiring and expires <= ${now}`,
};

const oldJobs: Outdated = {
  table: 'jobs',
  name: 'jobs',
  where: (now) => sql`state in ('done', 'warned', 'failed') and finished <= ${addMilliseconds(now, -jobsAreKeptMs)}`,
};

async function deleteAll(tables: readonly Outdated[], { db, now }: Call, { signal }: RunningJob): Promise<string[]> {
  const reports: string[] = [];
  for (const outdated of tables) {
    const deleted = await deleteInBatches(db, outdated, now, signal);
    if (deleted > 0) reports.push(`${deleted} ${outdated.name} removed`);
  }
  return reports;
}

/** Deletes expired rows; returns their number. */
export const deleteOutdated = async (tables: readonly Outdated[], call: Call, job: RunningJob): Promise<string> =>
  report(await deleteAll(tables, call, job));

const report = (parts: readonly string[]): string => (parts.length === 0 ? 'Nothing to do.' : `${parts.join(', ')}.`);
