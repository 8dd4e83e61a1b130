import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import type pg from 'pg';
import { errorFacts, messageOf } from '../../lib/error-facts.ts';
import { type Crowd, isStuckAfterMs } from './postgres-crowd.ts';
import type { StatementFacts } from './postgres-statements.ts';
import type { StatementListeners } from './statements.ts';

export interface ConnectionNeeds {
  factsOf(text: string): StatementFacts;
  readonly crowd: Crowd;
  readonly listeners: StatementListeners;
  /** After so long without an answer the connection is closed. */
  readonly answerWithinMs: number;
}

/** A connection is replaced once it holds so many prepared statements: each takes memory in the database. */
const maxPrepared = 500;

/** One connection, used by one at a time. */
export class PostgresConnection implements DatabaseConnection {
  /** Off for statements that may take minutes. */
  hasDeadline = true;
  /** Told of each statement of whoever uses it now. */
  note: ((text: string) => void) | undefined;
  idleSince = 0;
  readonly #client: pg.Client;
  readonly #needs: ConnectionNeeds;
  readonly #canPrepare: boolean;
  readonly #prepared = new Set<string>();
  #isUsable = true;
  #busySince = Number.POSITIVE_INFINITY;

  constructor(client: pg.Client, canPrepare: boolean, needs: ConnectionNeeds) {
    this.#client = client;
    this.#canPrepare = canPrepare;
    this.#needs = needs;
    client.on('end', () => {
      this.#isUsable = false;
    });
  }

  /** Whether it can serve others after what it was used for. */
  get isUsable(): boolean {
    return this.#isUsable && this.#prepared.size <= maxPrepared && this.#client.getTransactionStatus() === 'I';
  }

  /** Whether its statement waits for somebody. */
  get isStuck(): boolean {
    return performance.now() - this.#busySince > isStuckAfterMs;
  }

  onEnd(listener: () => void): void {
    this.#client.on('end', listener);
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#needs.listeners.notify(query);
    this.note?.(query.sql);
    const { name, tables } = this.#needs.factsOf(query.sql);
    const leave = this.hasDeadline ? this.#needs.crowd.enter(tables) : null;
    try {
      return await this.#execute<R>(query, this.#canPrepare ? name : '');
    } finally {
      leave?.();
    }
  }

  async #execute<R>(query: CompiledQuery, name: string): Promise<QueryResult<R>> {
    if (name) this.#prepared.add(name);
    try {
      return await this.#send<R>(query, name);
    } catch (error) {
      if (isReadOnly(error)) this.#isUsable = false;
      if (!isStalePlan(error)) throw error;
      this.#isUsable = false;
      // A failed statement ends its transaction; outside of one it can simply be sent again, unprepared.
      if (this.#client.getTransactionStatus() !== 'I') throw error;
      return this.#send<R>(query, '');
    }
  }

  async #send<R>({ sql, parameters }: CompiledQuery, name: string): Promise<QueryResult<R>> {
    const { rows, rowCount } = await this.#within(() =>
      this.#client.query({ ...(name && { name }), text: sql, values: [...parameters] }),
    );
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  }

  /** Sends commands without parameters, and gives PostgreSQL's word for what it did last. */
  async command(text: string): Promise<string> {
    const results: pg.QueryResult | pg.QueryResult[] = await this.#within(() => this.#client.query(text));
    return [results].flat().at(-1)?.command ?? '';
  }

  // biome-ignore lint/correctness/useYield: there is no streaming here
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('large results are read by Database.snapshot');
  }

  async close(): Promise<void> {
    this.#isUsable = false;
    await this.#client.end();
  }

  async #within<T>(work: () => Promise<T>): Promise<T> {
    if (!this.hasDeadline) return work();
    this.#busySince = performance.now();
    const timer = setTimeout(() => void this.close(), this.#needs.answerWithinMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      this.#busySince = Number.POSITIVE_INFINITY;
    }
  }
}

/** The schema was changed since the statement was prepared, or somebody has thrown the statement away. */
export function isStalePlan(error: unknown): boolean {
  const { code } = errorFacts(error);
  const message = messageOf(error);
  return code === '26000' || code === '42P05' || (code === '0A000' && /cached plan/.test(message ?? ''));
}

/** What was the primary is a standby by now. */
const isReadOnly = (error: unknown): boolean => errorFacts(error).code === '25006';
