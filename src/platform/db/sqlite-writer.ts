import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as loopTurn } from 'node:timers/promises';
import type { Query, WriteOptions } from './database.ts';
import type { Effects } from './effects.ts';

export interface SqliteWriter {
  write<T>(work: (tx: Query) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Resolves when everything that was asked for is done. */
  idle(): Promise<void>;
}

interface Waiting {
  readonly work: (tx: Query) => Promise<unknown>;
  readonly durable: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** A work that is done and waits for the commit. */
interface Done {
  readonly waiting: Waiting;
  readonly value: unknown;
  readonly effects: readonly (() => void)[];
}

/** Together they must not hold up the first of them for long. */
const maxBatch = 32;

interface Needs {
  readonly connection: DatabaseSync;
  /** The same connection, for works to write by. */
  readonly tx: Query;
  readonly effects: Effects;
  /** Resolves when what is committed by now is on the disk. */
  flush(): Promise<void>;
  /** Told when the disk may not have what others can read already. */
  lost(error: unknown): void;
  afterEachCommit(): void;
  /** What those who wait are told of an error. */
  faultOf(error: unknown): unknown;
}

/**
 * Has the one connection that writes do one work after the other. Works that wait at the same time are committed together: the
 * disk is waited for once, and nobody is told of success before that. Meanwhile the next ones are done. One that fails undoes nothing but
 * itself: each has a savepoint of its own.
 */
export function createSqliteWriter(needs: Needs): SqliteWriter {
  const { connection, tx, effects, flush, lost, afterEachCommit, faultOf } = needs;
  const run = prepared(connection);
  const queue: Waiting[] = [];
  const unflushed = new Set<Promise<void>>();
  let running: Promise<void> | null = null;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      await gathering();
      await transaction(queue.splice(0, maxBatch));
    }
    running = null;
  }

  /** Requests that have come in together get here within a few turns of the loop: as long as each brings more, it pays to wait. */
  async function gathering(): Promise<void> {
    let waiting = 0;
    while (waiting < queue.length && queue.length < maxBatch) {
      waiting = queue.length;
      await loopTurn();
    }
  }

  async function transaction(batch: readonly Waiting[]): Promise<void> {
    const done: Done[] = [];
    const isAlone = batch.length === 1;
    try {
      run.begin();
      for (const waiting of batch) await perform(waiting, done, isAlone);
      if (done.length > 0) run.commit();
      else connection.exec('rollback');
    } catch (error) {
      if (connection.isTransaction) connection.exec('rollback');
      const fault = faultOf(error);
      for (const { reject } of batch) reject(fault);
      return;
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

  /** What is not flushed is in the log all the same, before what comes next: that waits for the disk with it. */
  async function tellOnceFlushed(done: readonly Done[]): Promise<void> {
    try {
      await flush();
    } catch (error) {
      for (const { waiting } of done) waiting.reject(error);
      return lost(error);
    }
    tell(done);
  }

  /** Throws only when the whole transaction is lost. */
  async function perform(waiting: Waiting, done: Done[], isAlone: boolean): Promise<void> {
    if (!isAlone) run.savepoint();
    try {
      const value = await waiting.work(tx);
      if (!isAlone) run.release();
      done.push({ waiting, value, effects: effects.take(tx) });
    } catch (error) {
      effects.take(tx);
      // A full disk, for one, makes SQLite undo everything at once.
      if (!connection.isTransaction) throw error;
      if (!isAlone) connection.exec('rollback to work; release work');
      waiting.reject(faultOf(error));
    }
  }

  return {
    write: <T>(work: (tx: Query) => Promise<T>, { durable = true }: WriteOptions = {}) =>
      new Promise<T>((resolve, reject) => {
        // Called with what `work` returns.
        queue.push({ work, durable, resolve: resolve as (value: unknown) => void, reject });
        running ??= drain();
      }),
    async idle() {
      await running;
      await Promise.all(unflushed);
    },
  };
}

/** What every write takes, read once: SQLite would read the text each time. */
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
