import { messageOf } from '../../lib/error-facts.ts';
import type { Clock } from '../clock.ts';
import type { Database, Query } from '../db/database.ts';
import type { Log } from '../log.ts';
import { randomUuid } from '../random.ts';
import { type JobKind, type Jobs, PermanentFailure } from './job.ts';
import {
  type ClaimedJob,
  claimJobs,
  endJob,
  extendLease,
  insertJob,
  type JobEnd,
  leaseMs,
  nextDue,
  queueSchedules,
  releaseAll,
} from './queue.ts';

interface Needs {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly kinds: readonly JobKind[];
  /** The number of concurrent jobs in this process. */
  readonly concurrency?: number;
  /** Called after each attempt. */
  readonly observe?: (kind: string, outcome: JobEnd['state']) => void;
}

export interface JobWorker extends Jobs {
  start(): Promise<void>;
  /** Claims no more jobs and waits for the running ones. */
  stop(): Promise<void>;
}

const channel = 'gatehouse_jobs';
const defaultAttempts = 8;
/** A burst of commits causes one poll: each poll is a write. */
const wakeDelayMs = 100;
// The longest delay of a timer; polling once a day costs nothing.
const maxSleepMs = 24 * 60 * 60 * 1000;
/** Another instance may have died before it could announce a job. */
const maxSharedSleepMs = 60_000;
/**
 * Notifications serialize the commits of a whole PostgreSQL server, so they are few, and sent outside of transactions.
 */
const announceEveryMs = 100;

/** Runs queued jobs. Sleeps until one is due or queued: an idle server sends no statements. */
export function createJobWorker({ db, clock, log, kinds, concurrency = 4, observe = () => {} }: Needs): JobWorker {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const names = [...byName.keys()];
  const worker = randomUuid();
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let pendingWake: NodeJS.Timeout | undefined;
  let announcement: NodeJS.Timeout | undefined;
  let pass: Promise<void> | null = null;
  let shouldLookAgain = false;
  let unlisten: (() => Promise<void>) | undefined;
  let unhear: (() => void)[] = [];

  /** Polls for work; calls during a poll cause one more. */
  function wake(): void {
    if (stopping.signal.aborted || !unlisten) return;
    shouldLookAgain = true;
    pass ??= look().finally(() => {
      pass = null;
      if (shouldLookAgain) wake();
    });
  }

  /** Polls after a short delay, so that one poll finds all jobs queued in quick succession. */
  function wakeShortly(): void {
    if (stopping.signal.aborted || !unlisten || pendingWake) return;
    pendingWake = setTimeout(() => {
      pendingWake = undefined;
      wake();
    }, wakeDelayMs);
    pendingWake.unref();
  }

  async function look(): Promise<void> {
    shouldLookAgain = false;
    clearTimeout(timer);
    try {
      const free = concurrency - running.size;
      const jobs = free > 0 ? await claimJobs(db, worker, byName, free, clock.now()) : [];
      const isMoreLikely = jobs.length === free;
      for (const job of jobs) {
        const done = perform(job).finally(() => {
          running.delete(done);
          if (isMoreLikely) wake();
          else wakeShortly();
        });
        running.add(done);
      }
      if (!isMoreLikely) await sleepUntilDue();
    } catch (error) {
      log.error({ err: error }, 'the job queue cannot be read');
      setTimer(5_000);
    }
  }

  async function sleepUntilDue(): Promise<void> {
    const due = await nextDue(db, names, clock.now());
    if (due !== null || db.notify) setTimer((due ?? maxSleepMs) + 1);
  }

  function setTimer(milliseconds: number): void {
    if (stopping.signal.aborted) return;
    timer = setTimeout(wake, Math.min(Math.max(milliseconds, 0), db.notify ? maxSharedSleepMs : maxSleepMs));
    timer.unref();
  }

  function kindOf(job: ClaimedJob): JobKind {
    const kind = byName.get(job.kind);
    if (!kind) throw new Error(`claimed a job of an unknown kind: ${job.kind}`);
    return kind;
  }

  async function perform(job: ClaimedJob): Promise<void> {
    const lost = new AbortController();
    const beat = setInterval(async () => {
      const isMine = await extendLease(db, job.pk, worker, clock.now()).catch(() => true);
      if (!isMine) lost.abort();
    }, leaseMs / 3);
    const end = await outcomeOf(job, AbortSignal.any([stopping.signal, lost.signal]));
    clearInterval(beat);
    if (end.state === 'failed') {
      const { message, error: err } = end;
      log.error({ job: job.pk, kind: job.kind, message, err }, 'a job failed');
    }
    const kind = kindOf(job);
    await endJob(db, job, { worker, kind, end, now: clock.now() }).catch((error) =>
      log.error({ err: error }, 'a job could not be closed'),
    );
    observe(job.kind, end.state);
    await queueSchedules(
      db,
      kinds.filter(({ name, everyMs }) => name === job.kind && everyMs !== undefined),
      clock.now(),
    ).catch((error) => log.error({ err: error }, 'a schedule could not be queued'));
  }

  async function outcomeOf(job: ClaimedJob, signal: AbortSignal): Promise<JobEnd> {
    const kind = kindOf(job);
    try {
      const message = await kind.run({ pk: job.pk, payload: JSON.parse(job.payload), attempt: job.attempt, signal });
      return { state: 'done', message: message ?? '' };
    } catch (error) {
      const message = messageOf(error);
      const isOver = error instanceof PermanentFailure || job.attempt >= (kind.attempts ?? defaultAttempts);
      return isOver ? { state: 'failed', message, error } : { state: 'again', message };
    }
  }

  function wakeAfterCommit(tx: Query): void {
    db.afterCommit(tx, () => {
      wakeShortly();
      announceShortly();
    });
  }

  /** Notifies the other instances. */
  function announceShortly(): void {
    if (!db.notify || announcement) return;
    announcement = setTimeout(announce, announceEveryMs);
    announcement.unref();
  }

  async function announce(): Promise<void> {
    clearTimeout(announcement);
    announcement = undefined;
    // Instances that miss it poll within a minute anyway.
    await db.notify?.(channel).catch(() => {});
  }

  return {
    kinds: byName,
    async enqueue(tx, job) {
      const kind = byName.get(job.kind);
      if (!kind) throw new Error(`there are no jobs of the kind ${job.kind}`);
      await insertJob(db.dialect, tx, job, kind, clock.now());
      wakeAfterCommit(tx);
    },
    wakeAfterCommit: async (tx) => wakeAfterCommit(tx),
    async start() {
      if (!db.notify) await releaseAll(db, clock.now());
      await queueSchedules(db, kinds, clock.now());
      unlisten = db.listen(channel, wakeShortly);
      unhear = kinds.flatMap(({ wokenBy }) => (wokenBy && db.onWrite?.(wokenBy, () => wakeShortly())) || []);
      wake();
    },
    async stop() {
      stopping.abort();
      for (const stop of unhear) stop();
      clearTimeout(timer);
      clearTimeout(pendingWake);
      await pass;
      await Promise.allSettled(running);
      if (announcement) await announce();
      await unlisten?.();
    },
  };
}
