import type { Query } from '../db/database.ts';

/** A kind of background job. */
export interface JobKind<Payload = unknown> {
  readonly name: string;
  readonly summary: string;
  /** Attempts before the job counts as failed; each waits longer than the one before. */
  readonly attempts?: number;
  /**
   * Whether only one job of this kind runs at a time, over all instances; `by key`: one of each key. A job by key gives its
   * key up when it starts, so that work which comes up meanwhile can be queued after it.
   */
  readonly oneAtATime?: boolean | 'by key';
  /** Deletes jobs that are done: for work so frequent that storing finished jobs would cost more than the work. */
  readonly deleteWhenDone?: boolean;
  /** Schedules a run at this interval. */
  readonly everyMs?: number;
  /** Whether there is work without a queued job: for work so frequent that a job per item would cost more than the work. */
  hasWork?(query: Query): Promise<boolean>;
  /** A table that triggers fill with this work, so that its writers wake nobody; on PostgreSQL the triggers notify the worker. */
  readonly wokenBy?: string;
  /** Called when a job has failed for good, in the same transaction. */
  afterFailure?(tx: Query, job: FailedJob<Payload>): Promise<void>;
  /** Throws to be tried again. What it does must bear being done twice: a worker may die after the work and before saying so. */
  run(job: RunningJob<Payload>): Promise<string | undefined>;
}

export interface FailedJob<Payload = unknown> {
  readonly payload: Payload;
  readonly message: string;
  /** What the last attempt threw. */
  readonly error: unknown;
}

export interface RunningJob<Payload = unknown> {
  readonly pk: string;
  readonly payload: Payload;
  readonly attempt: number;
  /** Told when the server stops, or when the job's lease is lost. */
  readonly signal: AbortSignal;
}

/** Work that can never succeed, however often it is tried. */
export class PermanentFailure extends Error {}

export interface NewJob {
  readonly kind: string;
  readonly payload?: unknown;
  /** Not before this moment. */
  readonly runAt?: string;
  /** Not before so many milliseconds from now. */
  readonly delayMs?: number;
  /** A job that waits under the same key is enough; no second one is queued, but it runs at the earlier of both times. */
  readonly key?: string;
}

export interface Jobs {
  /** Queues work in the transaction that makes it necessary: it is done if and only if that is committed. */
  enqueue(tx: Query, job: NewJob): Promise<void>;
  /** Wakes the worker after the commit, to check `hasWork`. */
  wakeAfterCommit(tx: Query): Promise<void>;
  /** All kinds, by name. */
  readonly kinds: ReadonlyMap<string, JobKind>;
}
