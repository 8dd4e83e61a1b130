import { AsyncLocalStorage } from 'node:async_hooks';
import { messageOf } from '../../lib/error-facts.ts';
import type { Clock } from '../clock.ts';
import type { Database, Query } from '../db/database.ts';
import type { Log } from '../log.ts';
import { randomUuid } from '../random.ts';
import { type JobKind, type Jobs, PermanentFailure } from './job.ts';
import {
  type ClaimedJob,
  checkSchedules,
  claimJobs,
  deleteHeartbeats,
  endJob,
  extendLease,
  insertJob,
  type JobEnd,
  type Lane,
  laneOf,
  lanes,
  leaseMs,
  namesIn,
  nextDue,
  recordHeartbeat,
  releaseClaims,
} from './queue.ts';

interface Dependencies {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly kinds: readonly JobKind[];
  /** Whether jobs that call other systems are held back. */
  isHeldBack?(tx: Query): Promise<boolean>;
  /** Called after each attempt. */
  readonly observe?: (kind: string, outcome: JobEnd['state']) => void;
}

export interface JobWorker extends Jobs {
  start(): Promise<void>;
  /** Claims no more jobs and waits for the running ones. */
  stop(): Promise<void>;
}

const channel = 'gatehouse_jobs';
/** Limits on concurrent jobs in this process: in total, of background jobs, and of bulky jobs among those. */
const maxJobs = 4;
const maxNotUrgent = 3;
const maxBulk = 2;
const defaultAttempts = 8;
/** A burst of commits causes one poll: each poll is a write. */
const wakeDelayMs = 100;
// The longest delay of a timer; polling once a day costs nothing.
const maxSleepMs = 24 * 60 * 60 * 1000;
/** Another instance may have died before it could announce a job. */
const maxSharedSleepMs = 60_000;
const beatEveryMs = 50_000;
/**
 * Notifications serialize the commits of a whole PostgreSQL server, so they are few, and sent outside of transactions.
 */
const notifyEveryMs = 100;

/** Runs queued jobs. Sleeps until one is due or queued: an idle server sends no statements. */
export function createJobWorker({
  db,
  clock,
  log,
  kinds,
  isHeldBack = async () => false,
  observe = () => {},
}: Dependencies): JobWorker {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const shortestIntervalMs = Math.min(maxSleepMs, ...kinds.map(({ everyMs }) => everyMs ?? maxSleepMs));
  const worker = randomUuid();
  // Not in the context of the request that wakes the worker: its budget is not that of jobs.
  const outsideRequests = AsyncLocalStorage.snapshot();
  const running = new Map<ClaimedJob, Promise<void>>();
  const stopping = new AbortController();
  let nextBeatAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let pendingWake: NodeJS.Timeout | undefined;
  let notification: NodeJS.Timeout | undefined;
  let pass: Promise<void> | null = null;
  let shouldLookAgain = false;
  let unlisten: (() => Promise<void>) | undefined;
  let unhear: (() => void)[] = [];

  /** Polls for work; calls during a poll cause one more. */
  function wake(): void {
    if (stopping.signal.aborted || !unlisten) return;
    shouldLookAgain = true;
    pass ??= outsideRequests(claimDueJobs).finally(() => {
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

  async function claimDueJobs(): Promise<void> {
    shouldLookAgain = false;
    clearTimeout(timer);
    try {
      await beatIfDue();
      if (running.size === maxJobs) return;
      const { jobs, heldBack } = await claimJobs(db, {
        ...{ worker, kinds: byName, freeSlots, isHeldBack },
        running: runningKeys(),
        now: clock.now(),
      });
      for (const job of jobs) {
        const done = perform(job).finally(() => {
          const wasFull = freeSlots(laneOf(kindOf(job)), []) === 0;
          running.delete(job);
          if (wasFull) wake();
          else wakeShortly();
        });
        running.set(job, done);
      }
      await sleepUntilDue(heldBack);
    } catch (error) {
      log.error({ err: error }, 'the job queue cannot be read');
      setTimer(5_000);
    }
  }

  /** Only if there may be other instances. It wakes often enough. */
  async function beatIfDue(): Promise<void> {
    if (!db.notify || performance.now() < nextBeatAt) return;
    nextBeatAt = performance.now() + beatEveryMs;
    await db.write((tx) => recordHeartbeat(db, tx, worker, clock.now()), { durable: false });
  }

  const runningKeys = () => [...running.keys()].map(({ pk }) => pk);

  function freeSlots(lane: Lane, claimed: readonly ClaimedJob[]): number {
    const busy = [...running.keys(), ...claimed].map((job) => laneOf(kindOf(job)));
    const free = maxJobs - busy.length;
    if (lane === 'urgent') return free;
    const notUrgent = busy.filter((one) => one !== 'urgent').length;
    if (lane === 'normal') return Math.min(free, maxNotUrgent - notUrgent);
    return Math.min(free, maxNotUrgent - notUrgent, maxBulk - busy.filter((one) => one === 'bulk').length);
  }

  /** Until a job is due that could start: jobs in a lane without free slots start when another ends. */
  async function sleepUntilDue(heldBack: boolean): Promise<void> {
    await checkSchedules(db, kinds, clock.now());
    const open = lanes.filter((lane) => freeSlots(lane, []) > 0).flatMap((lane) => namesIn(lane, byName, heldBack));
    const due = open.length > 0 ? await nextDue(db, open, runningKeys(), clock.now()) : null;
    // A clock that is set back would make the next run of a schedule seem far away.
    setTimer(Math.min((due ?? maxSleepMs) + 1, shortestIntervalMs));
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
  }

  async function outcomeOf(job: ClaimedJob, signal: AbortSignal): Promise<JobEnd> {
    const kind = kindOf(job);
    try {
      const said = await kind.run({ pk: job.pk, payload: JSON.parse(job.payload), attempt: job.attempt, signal });
      return typeof said === 'object'
        ? { state: 'warned', message: said.warning }
        : { state: 'done', message: said ?? '' };
    } catch (error) {
      const message = messageOf(error);
      const isOver = error instanceof PermanentFailure || job.attempt >= (kind.attempts ?? defaultAttempts);
      return isOver ? { state: 'failed', message, error } : { state: 'again', message };
    }
  }

  function wakeAfterCommit(tx: Query): void {
    db.afterCommit(tx, () => {
      wakeShortly();
      notifyShortly();
    });
  }

  /** Notifies the other instances. */
  function notifyShortly(): void {
    if (!db.notify || notification) return;
    notification = setTimeout(notifyInstances, notifyEveryMs);
    notification.unref();
  }

  async function notifyInstances(): Promise<void> {
    clearTimeout(notification);
    notification = undefined;
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
      if (!db.notify) await releaseClaims(db, clock.now());
      await checkSchedules(db, kinds, clock.now());
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
      await Promise.allSettled(running.values());
      if (notification) await notifyInstances();
      if (db.notify && nextBeatAt > 0) await db.write((tx) => deleteHeartbeats(tx, worker)).catch(() => {});
      await unlisten?.();
    },
  };
}
