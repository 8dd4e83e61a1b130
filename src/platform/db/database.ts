import type { CompiledQuery, Kysely } from 'kysely';
import type { Dialect } from './dialect.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tables come from declarations at run time; callers state row types where they read
export type Tables = any;
/** Something that queries can be run on: the database outside a transaction, or a transaction. */
export type Query = Kysely<Tables>;

/** One store, embedded or PostgreSQL, behind the same queries. */
export interface Database {
  readonly dialect: Dialect;
  /** For reading outside a transaction. */
  readonly read: Query;
  /**
   * Runs `work`, which reads a list, on a replica that has all that was acknowledged before, or else on the primary. It may run twice. Not
   * there without a replica.
   */
  readList?<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one transaction that is durable when the promise resolves and leaves nothing when it rejects. Where others were in its
   * way (a deadlock), all of it is undone and run again.
   */
  write<T>(work: (tx: Query) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * What `load` reads by the query it is given, with a way to tell whether that is still so. Null where to tell costs as much as to read it
   * again (several servers on one PostgreSQL).
   */
  readonly watch: (<T>(load: (query: Query) => Promise<T>) => Promise<Watched<T>>) | null;
  /** What has been cached of query results; see `queryCache`. Without it, nothing is. */
  readonly queryCaches?: QueryCaches;
  /** Has `isCurrent` tell of changes by other instances up to now; null where it does so anyway. */
  readonly refresh: (() => Promise<void>) | null;
  /** The same, by a stamp that a statement of this request has brought along (`stampSql`): saves a statement. */
  readonly sawStamp: ((stamp: number | null) => void) | null;
  /** Runs the work of one request: what was told current once stays so for a moment, but for the request's own writes. */
  scope<T>(work: () => T): T;
  /** Has something done once the transaction is durable; never when it is rolled back. */
  afterCommit(tx: Query, effect: () => void): void;
  /** The store as it is at this moment, for reading at length; must be ended. */
  snapshot(): Promise<Snapshot>;
  /** Calls `listener` when any instance notifies the channel, and when the connection came back after a break. */
  listen(channel: string, listener: () => void): () => Promise<void>;
  /** Wakes listeners of a channel in all instances; null where there is one instance. */
  readonly notify: ((channel: string) => Promise<void>) | null;
  /** Calls `listener` after commits that may have written to the table; null where triggers notify instead. */
  readonly onWrite: ((table: string, listener: () => void) => () => void) | null;
  /** Called with each statement that is run; for tests and metrics. */
  onStatement(listener: (query: CompiledQuery) => void): () => void;
  /** Tells the query planner how many rows the tables have; null where it does not plan by that. */
  readonly analyze: (() => Promise<void>) | null;
  /** Answers when the store can be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface Watched<T> {
  readonly value: T;
  /** False when changes of what was read cannot be told; then it is never current. */
  readonly canTell: boolean;
  /** False once a table that was read has been changed, by whomever. */
  isCurrent(): boolean;
}

export interface WriteOptions {
  /**
   * False: does not wait for the disk. A loss of power may undo the write, the end of the process never does. For intermediate state. The
   * next durable write makes it durable too. True by default.
   */
  readonly durable?: boolean;
  /** Its statements may take minutes, as those of migrations do. */
  readonly isLong?: boolean;
  /** False: changes more than the database, so that it cannot be run again. */
  readonly isRepeatable?: boolean;
}

export interface Snapshot {
  readonly query: Query;
  /** All rows of a table, some at a time, so that a large one never stands in memory whole. */
  rows(table: string): AsyncIterable<readonly Record<string, unknown>[]>;
  end(): Promise<void>;
}

/** Thrown inside `write` to undo it on purpose, carrying the answer out. */
export class Rollback<T> extends Error {
  readonly value: T;
  constructor(value: T) {
    super('rolled back on purpose');
    this.value = value;
  }
}

/** The caches of query results of one open database, by name. */
export type QueryCaches = ReadonlyMap<string, CacheEntries>;

export interface CacheEntries {
  readonly size: number;
  readonly byKey: Map<string | number, Watched<unknown>>;
}
