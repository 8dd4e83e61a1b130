import type { Query } from '../db/database.ts';

/** A kind of background job. */
export interface JobKind<Payload = unknown> {
  readonly name: string;
  readonly summary: string;
  /** Attempts before the job counts as failed, with increasing delays. */
  readonly attempts?: number;
  /**
   * Whether only one job of this kind runs at a time over all instances; `by key`: one per key. Such a job releases its
   * key when it starts, so that new work can be queued behind it.
   */
  readonly oneAtATime?: boolean | 'by key';
  /** Deletes finished jobs: for work so frequent that storing them would cost more than the work. */
  readonly deleteWhenDone?: boolean;
  /** Schedules a run at this interval. */
  readonly everyMs?: number;
  /**
   * `urgent`: a person waits for it, so it is claimed first and has a slot reserved. `bulk` gets at most half of the
   * slots.
   */
  readonly lane?: 'urgent' | 'bulk';
  /** Whether it calls or writes to other systems: such jobs wait while a restored database is held back from that. */
  readonly isOutgoing?: boolean;
  /** Whether there is work without a queued job: for work so frequent that a job per item would cost more. */
  hasWork?(query: Query): Promise<boolean>;
  /**
   * A table that triggers fill with work, so that writers need not wake a worker; on PostgreSQL the triggers notify the
   * worker.
   */
  readonly wokenBy?: string;
  /** Called in the same transaction when a job has finally failed. */
  afterFailure?(tx: Query, job: FailedJob<Payload>): Promise<void>;
  /** Throws to be retried. Must be idempotent: a worker may die after the work but before recording it. */
  run(job: RunningJob<Payload>): Promise<string | JobWarning | undefined>;
}

/** The job has finished, but with a warning. */
export interface JobWarning {
  readonly warning: string;
}

export interface FailedJob<Payload = unknown> {
  readonly payload: Payload;
  readonly message: string;
  /** The error of the last attempt. */
  readonly error: unknown;
}

export interface RunningJob<Payload = unknown> {
  readonly pk: string;
  readonly payload: Payload;
  readonly attempt: number;
  /** Aborted when the server stops, or when the job's lease is lost. */
  readonly signal: AbortSignal;
}

/** Work that can never succeed, so that it is not retried. */
export class PermanentFailure extends Error {}

export interface NewJob {
  readonly kind: string;
  readonly payload?: unknown;
  /** The earliest start. */
  readonly runAt?: string;
  /** The earliest start, in milliseconds from now. */
  readonly delayMs?: number;
  /** Jobs with equal keys run one after the other, across all instances. Kinds with `oneAtATime` set it themselves. */
  readonly alone?: string;
  /** Deduplicates: if a job with this key is queued, no second one is; it runs at the earlier of both times. */
  readonly key?: string;
}

export interface Jobs {
  /** Queues work in the transaction that requires it: it runs if and only if that commits. */
  enqueue(tx: Query, job: NewJob): Promise<void>;
  /** Wakes the worker after the commit, to check `hasWork`. */
  wakeAfterCommit(tx: Query): Promise<void>;
  /** All kinds, by name. */
  readonly kinds: ReadonlyMap<string, JobKind>;
}
