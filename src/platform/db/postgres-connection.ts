import { AbortedTransactionError, type CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely';
import type pg from 'pg';
import { errorFacts, messageOf } from '../../lib/error-facts.ts';
import { type Crowd, isStuckAfterMs } from './postgres-crowd.ts';
import { Exchange, type Prepared, type Result, type Statement } from './postgres-exchange.ts';
import type { StatementFacts } from './postgres-statements.ts';
import { toParameter } from './postgres-values.ts';
import type { StatementListeners } from './statement-listeners.ts';

export interface ConnectionNeeds {
  factsOf(text: string): StatementFacts;
  readonly crowd: Crowd;
  readonly listeners: StatementListeners;
  /** After so long without an answer the connection is closed. */
  readonly answerWithinMs: number;
}

/** A connection is replaced once it holds so many prepared statements: each takes memory in the database. */
const maxPrepared = 500;

interface Sent extends Statement {
  readonly tables: ReadonlySet<string>;
}

/** Opens or ends a transaction. */
const control = (text: string): Sent => ({ text, name: text, values: [], tables: new Set() });

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
  readonly #prepared: Prepared = new Map();
  /** `begin` and settings, to be sent together with the first statement of the transaction. */
  #opening: readonly Sent[] = [];
  #exchange: Exchange | null = null;
  #isInTransaction = false;
  #isUsable = true;
  #busySince = Number.POSITIVE_INFINITY;

  constructor(client: pg.Client, canPrepare: boolean, needs: ConnectionNeeds) {
    this.#client = client;
    this.#canPrepare = canPrepare;
    this.#needs = needs;
    client.on('end', () => {
      this.#isUsable = false;
    });
    client.connection.on('parseComplete', () => this.#exchange?.handleParseComplete());
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
    const statement = { text: query.sql, name, values: query.parameters.map(toParameter), tables };
    if (!this.#isInTransaction) return this.#executeAlone<R>(statement);
    const opening = this.#opening;
    this.#opening = [];
    return resultOf<R>((await this.#send([...opening, statement])).at(-1));
  }

  /** Opens a transaction, together with its first statement. `settings` are statements that hold for it alone. */
  begin(begin: string, settings: readonly string[]): void {
    this.#isInTransaction = true;
    this.#opening = [begin, ...settings].map(control);
  }

  async commit(): Promise<void> {
    this.#isInTransaction = false;
    if (this.#isUnopened()) return;
    const [result] = await this.#send([control('commit')]);
    // After a failed statement PostgreSQL answers a commit by rolling back, without an error.
    if (result?.command !== 'COMMIT') throw new AbortedTransactionError();
  }

  async rollback(): Promise<void> {
    this.#isInTransaction = false;
    if (!this.#isUnopened() && this.#client.getTransactionStatus() !== 'I') await this.#send([control('rollback')]);
  }

  /** Whether the transaction ends without a statement, so that PostgreSQL has never heard of it. */
  #isUnopened(): boolean {
    const isUnopened = this.#opening.length > 0;
    this.#opening = [];
    return isUnopened;
  }

  async #executeAlone<R>(statement: Sent): Promise<QueryResult<R>> {
    try {
      return resultOf<R>((await this.#send([statement]))[0]);
    } catch (error) {
      // A failed statement ends its transaction; outside of one it can simply be sent again, unprepared.
      if (!isStalePlan(error)) throw error;
      return resultOf<R>((await this.#send([{ ...statement, name: '' }]))[0]);
    }
  }

  async #send(statements: readonly Sent[]): Promise<Result[]> {
    const touched = statements.reduce((all, { tables }) => all.union(tables), new Set<string>());
    const leave = this.hasDeadline ? this.#needs.crowd.enter(touched) : null;
    try {
      const named = this.#canPrepare ? statements : statements.map((statement) => ({ ...statement, name: '' }));
      this.#exchange = new Exchange(named, this.#prepared);
      return await this.#within(this.#client.query(this.#exchange).done);
    } catch (error) {
      if (isReadOnly(error) || isStalePlan(error)) this.#isUsable = false;
      throw error;
    } finally {
      leave?.();
    }
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

  async #within<T>(answer: Promise<T>): Promise<T> {
    if (!this.hasDeadline) return answer;
    this.#busySince = performance.now();
    const timer = setTimeout(() => this.#abandon(), this.#needs.answerWithinMs);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
      this.#busySince = Number.POSITIVE_INFINITY;
    }
  }
}

/** The rows are as the author of the statement declares them. */
const resultOf = <R>({ rows, command } = nothing): QueryResult<R> => ({
  rows: rows as R[],
  // The last word, if it is a number.
  numAffectedRows: BigInt(Number(command.split(' ').at(-1)) || 0),
});

const nothing: Result = { rows: [], command: '' };

/** The schema was changed since the statement was prepared, or somebody has thrown the statement away. */
export function isStalePlan(error: unknown): boolean {
  const { code } = errorFacts(error);
  const message = messageOf(error);
  return code === '26000' || code === '42P05' || (code === '0A000' && /cached plan/.test(message ?? ''));
}

/** What was the primary is a standby by now. */
const isReadOnly = (error: unknown): boolean => errorFacts(error).code === '25006';
