import { AsyncLocalStorage } from 'node:async_hooks';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as loopTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Query, WriteOptions } from '../database.ts';
import type { Effects } from '../effects.ts';
import { DatabaseBusy, isLocked } from '../unreachable.ts';

export interface SqliteWriter {
  write<T>(work: (tx: Query) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Resolves when all queued work is done. */
  idle(): Promise<void>;
}

interface Waiting {
  readonly work: (tx: Query) => Promise<unknown>;
  readonly durable: boolean;
  /** When it was queued, by `performance.now()`. */
  readonly since: number;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Work that is done and waits for the commit. */
interface Done {
  readonly waiting: Waiting;
  readonly value: unknown;
  readonly effects: readonly (() => void)[];
}

/** A larger batch would delay its first member too long. */
const maxBatch = 32;
/** How long a write waits while another program holds the lock of the database, and how often it tries again. */
const lockWaitMs = 10_000;
const lockRetryMs = 20;

interface Dependencies {
  readonly connection: DatabaseSync;
  /** The same connection, for the queued work. */
  readonly tx: Query;
  readonly effects: Effects;
  /** Resolves when everything committed so far is on disk. */
  flush(): Promise<void>;
  /** Called if committed data, already visible to others, may not be on disk. */
  lost(error: unknown): void;
  afterEachCommit(): void;
  /** Maps an error for the callers who wait. */
  faultOf(error: unknown): unknown;
}

/**
 * Serializes writes on one connection. Work that waits at the same time is committed as a group: one wait for the disk,
 * and no success is reported before it. Meanwhile the next group runs. A failure undoes only its own work: each has a
 * savepoint.
 */
export function createSqliteWriter(needs: Dependencies): SqliteWriter {
  const { connection, tx, effects, flush, lost, afterEachCommit, faultOf } = needs;
  const run = prepared(connection);
  const queue: Waiting[] = [];
  const unflushed = new Set<Promise<void>>();
  let running: Promise<void> | null = null;
  // A closed connection throws when it is asked for its transaction.
  const isInTransaction = () => connection.isOpen && connection.isTransaction;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      await gathering();
      if (await begin()) await transaction(queue.splice(0, maxBatch));
    }
    running = null;
  }

  /**
   * Requests that arrive together get here within a few turns of the event loop: wait as long as each turn adds more.
   */
  async function gathering(): Promise<void> {
    let waiting = 0;
    while (waiting < queue.length && queue.length < maxBatch) {
      waiting = queue.length;
      await loopTurn();
    }
  }

  /**
   * Begins a transaction. While another program holds the lock it waits by a timer, not in SQLite, which would hold up
   * reads as well. Returns false if no work is left to do.
   */
  async function begin(): Promise<boolean> {
    let lockedSince: number | null = null;
    while (queue.length > 0) {
      try {
        run.begin();
        return true;
      } catch (error) {
        if (!isLocked(error)) {
          rejectAll(queue.splice(0, maxBatch), error);
          return false;
        }
        lockedSince ??= performance.now();
        rejectWaitingSince(lockedSince, error);
      }
      await sleep(lockRetryMs);
    }
    return false;
  }

  function rejectAll(works: readonly Waiting[], error: unknown): void {
    const fault = faultOf(error);
    for (const { reject } of works) reject(fault);
  }

  /** Rejects what has waited for the lock too long; later work may still wait. */
  function rejectWaitingSince(lockedSince: number, cause: unknown): void {
    const latest = performance.now() - lockWaitMs;
    const patient = queue.findIndex(({ since }) => Math.max(since, lockedSince) > latest);
    const fault = new DatabaseBusy('another program holds the lock of the database', { cause });
    for (const { reject } of queue.splice(0, patient < 0 ? queue.length : patient)) reject(fault);
  }

  async function transaction(batch: readonly Waiting[]): Promise<void> {
    const done: Done[] = [];
    const isAlone = batch.length === 1;
    try {
      for (const waiting of batch) await perform(waiting, done, isAlone);
      if (done.length > 0) run.commit();
      else connection.exec('rollback');
    } catch (error) {
      if (isInTransaction()) connection.exec('rollback');
      return rejectAll(batch, error);
    }
    afterEachCommit();
    if (done.every(({ waiting }) => !waiting.durable)) return tell(done);
    const flushed = tellOnceFlushed(done).finally(() => unflushed.delete(flushed));
    unflushed.add(flushed);
  }

  function tell(done: readonly Done[]): void {
    for (const { waiting, value } of done) waiting.resolve(value);
    for (const effect of done.flatMap((work) => work.effects)) effect();
  }

  /** Non-durable work is in the log before later work, so a later flush includes it. */
  async function tellOnceFlushed(done: readonly Done[]): Promise<void> {
    try {
      await flush();
    } catch (error) {
      for (const { waiting } of done) waiting.reject(error);
      return lost(error);
    }
    tell(done);
  }

  /** Throws only if the whole transaction is lost. */
  async function perform(waiting: Waiting, done: Done[], isAlone: boolean): Promise<void> {
    if (!isAlone) run.savepoint();
    try {
      const value = await waiting.work(tx);
      if (!isAlone) run.release();
      done.push({ waiting, value, effects: effects.take(tx) });
    } catch (error) {
      effects.take(tx);
      // Some errors, such as a full disk, make SQLite roll back everything.
      if (!isInTransaction()) throw error;
      if (!isAlone) connection.exec('rollback to work; release work');
      waiting.reject(faultOf(error));
    }
  }

  return {
    write: <T>(work: (tx: Query) => Promise<T>, { durable = true }: WriteOptions = {}) =>
      new Promise<T>((resolve, reject) => {
        // It runs after the work of other requests, but belongs to its own.
        const inContext = AsyncLocalStorage.snapshot();
        // Called with what `work` returns.
        const resolveAny = resolve as (value: unknown) => void;
        queue.push({
          work: (tx) => inContext(work, tx),
          durable,
          since: performance.now(),
          resolve: resolveAny,
          reject,
        });
        running ??= drain();
      }),
    async idle() {
      await running;
      await Promise.all(unflushed);
    },
  };
}

/** The statements of every write, prepared once. */
function prepared(connection: DatabaseSync) {
  const of = (text: string) => {
    const statement = connection.prepare(text);
    return () => void statement.run();
  };
  return {
    begin: of('begin immediate'),
    commit: of('commit'),
    savepoint: of('savepoint work'),
    release: of('release work'),
  };
}
