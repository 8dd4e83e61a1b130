import { AbortedTransactionError, type CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely';
import type pg from 'pg';
import { errorFacts, messageOf } from '../../lib/error-facts.ts';
import type { SentQuery } from './later.ts';
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

interface Statement<T> {
  readonly tables: ReadonlySet<string>;
  send(): Promise<T>;
}

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
  /** Waits to be sent in one packet with the next statement: what opens the transaction, and what nobody needs the result of. */
  #unsent: Statement<unknown>[] = [];
  #transaction: 'open' | 'ended' | null = null;
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

  async executeQuery<R>(query: SentQuery): Promise<QueryResult<R>> {
    this.#needs.listeners.notify(query);
    this.note?.(query.sql);
    const { name, tables } = this.#needs.factsOf(query.sql);
    const send = () => this.#execute<R>(query, this.#canPrepare ? name : '');
    if (this.#transaction === null) return this.#sendAll({ tables, send });
    if (this.#transaction === 'ended') throw new Error('a statement comes after the last of its transaction');
    if (query.sent === 'later') {
      this.#unsent.push({ tables, send });
      return { rows: [] };
    }
    return query.sent === 'last' ? this.#endWith({ tables, send }) : this.#sendAll({ tables, send });
  }

  /** Opens a transaction, together with its first statement. */
  begin(text: string): void {
    this.#transaction = 'open';
    this.#unsent = [{ tables: new Set(), send: () => this.#client.query(text) }];
  }

  async commit(): Promise<void> {
    if (this.#transaction === 'open') await this.#endWith({ tables: new Set(), send: async () => {} });
    this.#transaction = null;
  }

  async rollback(): Promise<void> {
    this.#transaction = null;
    this.#unsent = [];
    if (this.#client.getTransactionStatus() !== 'I') await this.#within(() => this.#client.query('rollback'));
  }

  /** After a failed statement PostgreSQL answers a commit by rolling back, without an error. */
  async #endWith<T>({ tables, send }: Statement<T>): Promise<T> {
    const [result, { command }] = await this.#sendAll({
      tables,
      send: () => Promise.all([send(), this.#client.query('commit')]),
    });
    if (command !== 'COMMIT') throw new AbortedTransactionError();
    this.#transaction = 'ended';
    return result;
  }

  /** Sends what waits, and this, in one packet. The first error is the cause of those behind it. */
  async #sendAll<T>({ tables, send }: Statement<T>): Promise<T> {
    const unsent = this.#unsent;
    this.#unsent = [];
    const touched = unsent.reduce((all, { tables }) => (tables.size > 0 ? all.union(tables) : all), tables);
    const leave = this.hasDeadline ? this.#needs.crowd.enter(touched) : null;
    const { stream } = this.#client.connection;
    try {
      return await this.#within(() => {
        stream.cork();
        try {
          const sent = unsent.map(({ send }) => send());
          const last = send();
          return Promise.all([...sent, last]).then(() => last);
        } finally {
          stream.uncork();
        }
      });
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
      if (this.#transaction !== null) throw error;
      return this.#send<R>(query, '');
    }
  }

  async #send<R>({ sql, parameters }: CompiledQuery, name: string): Promise<QueryResult<R>> {
    const { rows, rowCount } = await this.#client.query({ ...(name && { name }), text: sql, values: [...parameters] });
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  }

  // biome-ignore lint/correctness/useYield: there is no streaming here
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('large results are read by Database.snapshot');
  }

  async close(): Promise<void> {
    this.#isUsable = false;
    await this.#client.end();
  }

  /** Without waiting for what was sent, as `end` would. */
  #abandon(): void {
    this.#isUsable = false;
    this.#client.connection.stream.destroy();
  }

  async #within<T>(work: () => Promise<T>): Promise<T> {
    if (!this.hasDeadline) return work();
    this.#busySince = performance.now();
    const timer = setTimeout(() => this.#abandon(), this.#needs.answerWithinMs);
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
