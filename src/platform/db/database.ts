import type { CompiledQuery, Kysely } from 'kysely';
import type { Dialect } from './dialect.ts';

// biome-ignore lint/suspicious/noExplicitAny: tables are declared at run time, callers state row types
export type Tables = any;
/** Runs queries: the database outside a transaction, or a transaction. */
export type Query = Kysely<Tables>;

/** A database, SQLite or PostgreSQL, behind the same queries. */
export interface Database {
  readonly dialect: Dialect;
  /** For reads outside a transaction. */
  readonly read: Query;
  /**
   * Runs `work`, which reads a list, on SQLite: in a thread, so that other requests are served meanwhile. Absent on
   * PostgreSQL.
   */
  readList?<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one transaction. It is durable when the promise resolves, and rolled back when it rejects. After a
   * conflict with others (a deadlock) it is rolled back and retried.
   */
  write<T>(work: (tx: Query) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * Returns what `load` reads, with a way to check whether it is still current. It is read in the thread of `by`. Null
   * if checking costs as much as reading again (several instances on one PostgreSQL).
   */
  readonly watch: (<T>(load: (query: Query) => Promise<T>, by?: Query) => Promise<Watched<T>>) | null;
  /** The query caches; see `queryCache`. Without them, nothing is cached. */
  readonly queryCaches?: QueryCaches;
  /** Makes `isCurrent` reflect changes by other instances up to now; null if it always does, or does so now. */
  readonly refresh: (() => Promise<void> | null) | null;
  /** The same, with a stamp that a statement of this request has read along (`stampSql`): saves a statement. */
  readonly sawStamp: ((stamp: number | null) => void) | null;
  /**
   * To be called at the start with the tables that are not worth caching, because users change them. Absent on SQLite.
   */
  stampTables?(uncached: readonly string[]): Promise<void>;
  /**
   * Runs the work of one request: within it, a value found current stays so for a moment, except after its own writes.
   */
  scope<T>(work: () => T): T;
  /** Runs `effect` once the transaction is durable; never if it is rolled back. */
  afterCommit(tx: Query, effect: () => void): void;
  /** A consistent snapshot for long reads; must be ended. */
  snapshot(): Promise<Snapshot>;
  /** Calls `listener` when any instance notifies the channel, and after a reconnect. */
  listen(channel: string, listener: () => void): () => Promise<void>;
  /** Wakes a channel's listeners in all instances; null if there is only one instance. */
  readonly notify: ((channel: string) => Promise<void>) | null;
  /** Calls `listener` after commits that may have written to the table; null if triggers notify instead. */
  readonly onWrite: ((table: string, listener: () => void) => () => void) | null;
  /** Calls `listener` for each statement; for tests and metrics. */
  onStatement(listener: (query: CompiledQuery) => void): () => void;
  /**
   * Updates the query planner's statistics; null if it uses none. Growing tables are left out while they are small:
   * with the statistics of a few rows, PostgreSQL would cache plans that scan them.
   */
  readonly analyze: ((growing?: readonly string[]) => Promise<void>) | null;
  /** Merges pending lists into the GIN indexes; returns how many pages they filled. Null if there are none. */
  readonly emptyPendingLists: (() => Promise<number>) | null;
  /** Resolves if the database can be reached. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface Watched<T> {
  readonly value: T;
  /** False if changes to what was read cannot be detected; it is then never current. */
  readonly canTell: boolean;
  /** False once a table that was read has changed, in any instance. */
  isCurrent(): boolean;
}

export interface WriteOptions {
  /**
   * False: does not wait for the disk. A power loss may undo the write; the end of the process never does. For
   * intermediate state. The next durable write makes it durable too. True by default.
   */
  readonly durable?: boolean;
  /** Allows statements that take minutes, as in migrations. */
  readonly isLong?: boolean;
  /** False: `work` has effects outside the database, so it cannot be retried. */
  readonly isRepeatable?: boolean;
}

export interface Snapshot {
  readonly query: Query;
  /** All rows of a table in batches, so that a large table is never in memory as a whole. */
  rows(table: string): AsyncIterable<readonly Record<string, unknown>[]>;
  end(): Promise<void>;
}

/** Thrown inside `write` to roll back on purpose, carrying the result out. */
export class Rollback<T> extends Error {
  readonly value: T;
  constructor(value: T) {
    super('rolled back on purpose');
    this.value = value;
  }
}

/** The query caches of one open database, by name. */
export type QueryCaches = ReadonlyMap<string, CacheEntries>;

export interface CacheEntries {
  readonly size: number;
  readonly byKey: Map<string | number, Watched<unknown>>;
}
