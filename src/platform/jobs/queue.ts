import { type RawBuilder, sql } from 'kysely';
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
): Promise<boolean> {
  const runAt = job.runAt ?? dialect.moment(now, job.delayMs ?? 0);
  const ownKey = kind.oneAtATime === 'by key' ? job.key : kind.name;
  const alone = kind.oneAtATime ? ownKey : job.alone;
  // What `hasWork` finds again and again must not take the pause from a job that failed.
  const mayMove = kind.hasWork ? sql`jobs.attempt = 0` : sql`1 = 1`;
  const { rows } =
    await sql`insert into jobs (pk, kind, payload, unique_key, alone, state, run_at, attempt, created, message)
    values (${orderedUuid()}, ${job.kind}, ${JSON.stringify(job.payload ?? null)}, ${job.key ?? null}, ${alone ?? null}, 'queued', ${runAt}, 0, ${dialect.moment(now)}, '')
    on conflict (unique_key) do update set run_at = excluded.run_at where jobs.state = 'queued' and jobs.run_at > excluded.run_at and ${mayMove}
    returning pk`.execute(tx);
  return rows.length > 0;
}

export interface Claim {
  readonly worker: string;
  readonly kinds: ReadonlyMap<string, JobKind>;
  /** The free slots of the claiming worker in each lane, given the jobs that it has claimed so far. */
  freeSlots(lane: Lane, claimed: readonly ClaimedJob[]): number;
  /** Jobs that the worker is running: their lease may seem expired after a step of the clock. */
  readonly running: readonly string[];
  /** Whether jobs that call other systems are held back. */
  isHeldBack(tx: Query): Promise<boolean>;
  readonly now: string;
}

/**
 * Claims due jobs, and those whose lease has expired. Skips kinds that run one at a time while one is running, and
 * kinds that this version does not support, which are left to newer instances.
 */
export async function claimJobs(
  db: Database,
  { worker, kinds, freeSlots, running, isHeldBack, now }: Claim,
): Promise<{ readonly jobs: readonly ClaimedJob[]; readonly heldBack: boolean }> {
  const { dialect } = db;
  const moment = dialect.moment(now);
  const notMine = running.length > 0 ? sql`j.pk not in (${sql.join(running)})` : sql`1 = 1`;
  const releasing = [...kinds.values()].filter(releasesKey).map(({ name }) => name);
  const isReleased = releasing.length > 0 ? sql`kind in (${sql.join(releasing)})` : sql`1 = 0`;
  return db.write(
    async (tx) => {
      // Claims are serialized, or two instances could each start a job that must run alone.
      await dialect.exclusive('jobs')?.execute(tx);
      for (const kind of kinds.values()) {
        if (await kind.hasWork?.(tx)) await insertJob(dialect, tx, { kind: kind.name, key: kind.name }, kind, now);
      }
      const heldBack = await isHeldBack(tx);
      const jobs: ClaimedJob[] = [];
      for (const lane of lanes) {
        const names = namesIn(lane, kinds, heldBack);
        const limit = freeSlots(lane, jobs);
        if (names.length > 0 && limit > 0) jobs.push(...(await claim(tx, names, limit)));
      }
      return { jobs, heldBack };
    },
    // If a power loss undoes a claim, the job is as it was.
    { durable: false },
  );

  async function claim(tx: Query, names: readonly string[], limit: number): Promise<readonly ClaimedJob[]> {
    const { rows } = await sql<ClaimedJob>`update jobs set state = 'running', worker = ${worker}, attempt = attempt + 1,
        unique_key = case when ${isReleased} then null else unique_key end,
        started = ${moment}, lease_until = ${dialect.moment(now, leaseMs)}
      where pk in (
        select j.pk from jobs j where j.kind in (${sql.join(names)})
        and ((j.state = 'queued' and j.run_at <= ${moment}) or (j.state = 'running' and j.lease_until < ${moment} and ${notMine}))
        and (j.alone is null or not exists (
          select 1 from jobs other where other.alone = j.alone and other.state = 'running' and other.pk <> j.pk
            and (other.lease_until >= ${moment} or (other.run_at, other.pk) < (j.run_at, j.pk))
          union all
          select 1 from jobs other where other.alone = j.alone and other.state = 'queued'
            and other.run_at <= ${moment} and (other.run_at, other.pk) < (j.run_at, j.pk)))
        order by j.run_at, j.pk limit ${limit})
      returning pk, kind, payload, attempt`.execute(tx);
    return rows;
  }
}

export type Lane = 'urgent' | 'normal' | 'bulk';

/** In the order in which they are claimed. */
export const lanes: readonly Lane[] = ['urgent', 'normal', 'bulk'];

export const laneOf = ({ lane }: JobKind): Lane => lane ?? 'normal';

/** The kinds of a lane that may run now. */
export const namesIn = (lane: Lane, kinds: ReadonlyMap<string, JobKind>, heldBack: boolean): readonly string[] =>
  [...kinds.values()].filter((kind) => laneOf(kind) === lane && !(heldBack && kind.isOutgoing)).map(({ name }) => name);

/**
 * A job that is queued while such a job runs may have new work, so it waits behind it. Kinds with `hasWork` are checked
 * again anyway.
 */
const releasesKey = ({ oneAtATime, hasWork }: JobKind): boolean => Boolean(oneAtATime) && !hasWork;

export async function extendLease(db: Database, pk: string, worker: string, now: string): Promise<boolean> {
  return db.write(async (tx) => {
    const { rows } = await sql`update jobs set lease_until = ${db.dialect.moment(now, leaseMs)}
      where pk = ${pk} and worker = ${worker} and state = 'running' returning pk`.execute(tx);
    return rows.length > 0;
  });
}

/** Releases the jobs of a dead process at once: for a database that only one process can open. */
export async function releaseClaims(db: Database, now: string): Promise<void> {
  await db.write(async (tx) => {
    await sql`update jobs set lease_until = ${db.dialect.moment(now, -1)} where state = 'running'`.execute(tx);
  });
}

export type JobEnd =
  | { readonly state: 'done' | 'warned'; readonly message: string }
  | { readonly state: 'failed'; readonly message: string; readonly error: unknown }
  | { readonly state: 'again'; readonly message: string };

/** Records the end of a job, and queues the next run if it has a schedule; only the worker that holds its lease may. */
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
    await closeJob(tx, mine);
    await queueSchedule(db, tx, kind, now);
  });

  async function closeJob(tx: Query, mine: RawBuilder<unknown>): Promise<void> {
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
  }
}

/** Each attempt waits about four times as long as the previous one, up to an hour. */
export function backoffMs(attempt: number): number {
  return Math.min(firstBackoffMs * 4 ** (attempt - 1), maxBackoffMs);
}

/** Milliseconds until the next job is due or the next lease expires; null if nothing waits. */
export async function nextDue(
  { dialect, read }: Database,
  kinds: readonly string[],
  running: readonly string[],
  now: string,
): Promise<number | null> {
  const notMine = running.length > 0 ? sql`pk not in (${sql.join(running)})` : sql`1 = 1`;
  // A job that waits for another to finish has no due time.
  const isFree = sql`(alone is null or not exists (select 1 from jobs r where r.alone = jobs.alone and r.state = 'running'))`;
  const due = sql`select min(run_at) as due from jobs where state = 'queued' and ${isFree} and kind in (${sql.join(kinds)})
    union all select min(lease_until) as due from jobs where state = 'running' and kind in (${sql.join(kinds)}) and ${notMine}`;
  const { rows } = await sql<{ wait: number | null }>`select ${dialect.millisecondsUntil(sql`min(due)`, now)} as wait
    from (${due}) as waiting`.execute(read);
  return rows[0]?.wait ?? null;
}

/**
 * Queues the next run of each scheduled kind, if missing, and moves one to its interval that is further away: the clock
 * may have been ahead. Most often one statement that finds nothing to do.
 */
export async function checkSchedules(db: Database, kinds: readonly JobKind[], now: string): Promise<void> {
  const scheduled = kinds.filter(({ everyMs }) => everyMs !== undefined);
  if (scheduled.length === 0) return;
  const { dialect, read } = db;
  const keys = scheduled.map(({ name }) => scheduleKey(name));
  const wait = dialect.millisecondsUntil(sql`run_at`, now);
  const { rows } = await sql<{
    unique_key: string;
    wait: number | null;
    state: string;
  }>`select unique_key, state, ${wait} as wait
    from jobs where unique_key in (${sql.join(keys)})`.execute(read);
  const queued = new Map(rows.map((row) => [row.unique_key, row]));
  const isFine = ({ name, everyMs = 0 }: JobKind) => {
    const found = queued.get(scheduleKey(name));
    return found !== undefined && (found.state === 'running' || (found.wait ?? 0) <= everyMs + clockToleranceMs);
  };
  const amiss = scheduled.filter((kind) => !isFine(kind));
  if (amiss.length === 0) return;
  await db.write(async (tx) => {
    for (const kind of amiss) await queueSchedule(db, tx, kind, now);
  });
}

/** The clocks of hosts differ. */
const clockToleranceMs = 60_000;

/** A queued run that is later than the interval from now moves to it. */
async function queueSchedule({ dialect }: Database, tx: Query, kind: JobKind, now: string): Promise<void> {
  if (kind.everyMs === undefined) return;
  const job = { kind: kind.name, key: scheduleKey(kind.name), delayMs: kind.everyMs };
  await insertJob(dialect, tx, job, kind, now);
}

const scheduleKey = (kind: string): string => `schedule:${kind}`;

/** How long after its last sign of life a worker still counts. */
const workerGoneMs = 150_000;

/** Notes that a worker lives, for instances that share a database. */
export async function recordHeartbeat({ dialect }: Database, tx: Query, worker: string, now: string): Promise<void> {
  await sql`delete from job_workers where seen < ${dialect.moment(now, -workerGoneMs)}`.execute(tx);
  await sql`insert into job_workers (pk, seen) values (${worker}, ${dialect.moment(now)})
    on conflict (pk) do update set seen = excluded.seen`.execute(tx);
}

export async function deleteHeartbeats(tx: Query, worker: string): Promise<void> {
  await sql`delete from job_workers where pk = ${worker}`.execute(tx);
}

/** The number of processes that run jobs; one for a database that only one process can open. */
export async function countWorkers({ dialect, read, notify }: Database, now: string): Promise<number> {
  if (!notify) return 1;
  const { rows } = await sql<{ workers: number | string }>`select count(*) as workers from job_workers
    where seen >= ${dialect.moment(now, -workerGoneMs)}`.execute(read);
  return Number(rows[0]?.workers ?? 0);
}

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
