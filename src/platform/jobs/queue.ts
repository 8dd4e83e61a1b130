import { sql } from 'kysely';
import type { Database, Query } from '../db/database.ts';
import type { Dialect } from '../db/dialect.ts';
import { orderedUuid } from '../random.ts';
import type { JobKind, NewJob } from './job.ts';

export interface ClaimedJob {
  readonly pk: string;
  readonly kind: string;
  readonly payload: string;
  readonly attempt: number;
}

/** Without a renewal for this long, the worker is presumed dead and its job is claimed again. */
export const leaseMs = 60_000;
const maxBackoffMs = 60 * 60 * 1000;
const firstBackoffMs = 5_000;

// All times come from `dialect.moment`: the clocks of hosts differ, and one host must respect a lease granted by
// another.

export async function insertJob(
  dialect: Dialect,
  tx: Query,
  job: NewJob,
  kind: JobKind,
  now: string,
  delayMs = 0,
): Promise<boolean> {
  const runAt = job.runAt ?? dialect.moment(now, job.delayMs ?? delayMs);
  const alone = kind.oneAtATime === 'by key' ? job.key : kind.oneAtATime && kind.name;
  const { rows } =
    await sql`insert into jobs (pk, kind, payload, unique_key, alone, state, run_at, attempt, created, message)
    values (${orderedUuid()}, ${job.kind}, ${JSON.stringify(job.payload ?? null)}, ${job.key ?? null}, ${alone || null}, 'queued', ${runAt}, 0, ${dialect.moment(now)}, '')
    on conflict (unique_key) do update set run_at = excluded.run_at where jobs.state = 'queued' and jobs.run_at > excluded.run_at
    returning pk`.execute(tx);
  return rows.length > 0;
}

/**
 * Claims due jobs, and those whose lease has expired. Skips kinds that run one at a time while one is running, and
 * kinds that this version does not know, which are left to instances that do.
 */
export async function claimJobs(
  db: Database,
  worker: string,
  kinds: ReadonlyMap<string, JobKind>,
  limit: number,
  now: string,
): Promise<ClaimedJob[]> {
  const { dialect } = db;
  const moment = dialect.moment(now);
  const releasing = [...kinds.values()].filter(releasesKey).map(({ name }) => name);
  const isReleased = releasing.length > 0 ? sql`kind in (${sql.join(releasing)})` : sql`1 = 0`;
  return db.write(
    async (tx) => {
      // Claims are serialized, or two instances could each start a job that must run alone.
      await dialect.exclusive('jobs')?.execute(tx);
      for (const kind of kinds.values()) {
        if (await kind.hasWork?.(tx)) await insertJob(dialect, tx, { kind: kind.name, key: kind.name }, kind, now);
      }
      const { rows } =
        await sql<ClaimedJob>`update jobs set state = 'running', worker = ${worker}, attempt = attempt + 1,
        unique_key = case when ${isReleased} then null else unique_key end,
        started = ${moment}, lease_until = ${dialect.moment(now, leaseMs)}
      where pk in (
        select j.pk from jobs j where j.kind in (${sql.join([...kinds.keys()])}) and ((j.state = 'queued' and j.run_at <= ${moment}) or (j.state = 'running' and j.lease_until < ${moment}))
        and (j.alone is null or not exists (
          select 1 from jobs other where other.alone = j.alone and other.pk <> j.pk and (
            (other.state = 'running' and other.lease_until >= ${moment})
            or (other.state in ('queued', 'running') and other.run_at <= ${moment} and (other.run_at, other.pk) < (j.run_at, j.pk)))))
        order by j.run_at, j.pk limit ${limit})
      returning pk, kind, payload, attempt`.execute(tx);
      return rows;
    },
    // If a power loss undoes a claim, the job is as it was.
    { durable: false },
  );
}

/** What is queued while such a job runs may be news to it, so it waits behind. Kinds with `hasWork` are asked again anyway. */
const releasesKey = ({ oneAtATime, hasWork }: JobKind): boolean => Boolean(oneAtATime) && !hasWork;

export async function extendLease(db: Database, pk: string, worker: string, now: string): Promise<boolean> {
  return db.write(async (tx) => {
    const { rows } = await sql`update jobs set lease_until = ${db.dialect.moment(now, leaseMs)}
      where pk = ${pk} and worker = ${worker} and state = 'running' returning pk`.execute(tx);
    return rows.length > 0;
  });
}

/** Releases the jobs of a dead process at once: for a database that only one process can open. */
export async function releaseAll(db: Database, now: string): Promise<void> {
  await db.write(async (tx) => {
    await sql`update jobs set lease_until = ${db.dialect.moment(now, -1)} where state = 'running'`.execute(tx);
  });
}

export type JobEnd =
  | { readonly state: 'done'; readonly message: string }
  | { readonly state: 'failed'; readonly message: string; readonly error: unknown }
  | { readonly state: 'again'; readonly message: string };

/** Records the end of a job; only the worker that holds its lease may. */
export async function endJob(
  db: Database,
  job: ClaimedJob,
  { worker, kind, end, now }: { worker: string; kind: JobKind; end: JobEnd; now: string },
): Promise<void> {
  const message = end.message.slice(0, 2_000);
  await db.write(async (tx) => {
    const mine = sql`pk = ${job.pk} and worker = ${worker} and state = 'running'`;
    if (end.state === 'again') {
      const runAt = db.dialect.moment(now, backoffMs(job.attempt));
      await sql`update jobs set state = 'queued', run_at = ${runAt}, worker = null, lease_until = null, message = ${message} where ${mine}`.execute(
        tx,
      );
      return;
    }
    if (end.state === 'done' && kind.deleteWhenDone) {
      await sql`delete from jobs where ${mine}`.execute(tx);
      return;
    }
    const { rows } =
      await sql`update jobs set state = ${end.state}, finished = ${db.dialect.moment(now)}, unique_key = null, worker = null, lease_until = null, message = ${message}
      where ${mine} returning pk`.execute(tx);
    if (end.state === 'failed' && rows.length > 0) {
      await kind.afterFailure?.(tx, { payload: JSON.parse(job.payload), message, error: end.error });
    }
  });
}

/** Each attempt waits about four times as long as the previous one, up to an hour. */
export function backoffMs(attempt: number): number {
  return Math.min(firstBackoffMs * 4 ** (attempt - 1), maxBackoffMs);
}

/** Milliseconds until the next job is due or the next lease expires; null if nothing waits. */
export async function nextDue(
  { dialect, read }: Database,
  kinds: readonly string[],
  now: string,
): Promise<number | null> {
  // A job that waits for another to finish has no due time.
  const isFree = sql`(alone is null or not exists (select 1 from jobs r where r.alone = jobs.alone and r.state = 'running'))`;
  const due = sql`select min(run_at) as due from jobs where state = 'queued' and ${isFree} and kind in (${sql.join(kinds)})
    union all select min(lease_until) as due from jobs where state = 'running' and kind in (${sql.join(kinds)})`;
  const { rows } = await sql<{ wait: number | null }>`select ${dialect.millisecondsUntil(sql`min(due)`, now)} as wait
    from (${due}) as waiting`.execute(read);
  return rows[0]?.wait ?? null;
}

/** Queues the next run of each scheduled kind, if missing. */
export async function queueSchedules(db: Database, kinds: readonly JobKind[], now: string): Promise<void> {
  const scheduled = kinds.filter(({ everyMs }) => everyMs !== undefined);
  if (scheduled.length === 0) return;
  await db.write(async (tx) => {
    for (const kind of scheduled) {
      const job = { kind: kind.name, key: scheduleKey(kind.name) };
      await insertJob(db.dialect, tx, job, kind, now, kind.everyMs);
    }
  });
}

const scheduleKey = (kind: string): string => `schedule:${kind}`;

/** The number of jobs by state. */
export async function countJobs(db: Database): Promise<Record<'queued' | 'running' | 'failed', number>> {
  const { rows } = await sql<{ state: string; jobs: number | string }>`select state, count(*) as jobs from jobs
    where state in ('queued', 'running', 'failed') group by state`.execute(db.read);
  const found = Object.fromEntries(rows.map(({ state, jobs }) => [state, Number(jobs)]));
  return { queued: 0, running: 0, failed: 0, ...found };
}

/** Seconds since the oldest job that has failed at least once, and will be tried again, was queued. */
export async function oldestRetry({ dialect, read }: Database, now: string): Promise<number> {
  const { rows } = await sql<{ ago: number | null }>`
    select ${dialect.millisecondsUntil(sql`min(created)`, now)} as ago from jobs
    where (state = 'queued' and attempt > 0) or (state = 'running' and attempt > 1)`.execute(read);
  return Math.max(0, Math.round(-(rows[0]?.ago ?? 0) / 1000));
}
