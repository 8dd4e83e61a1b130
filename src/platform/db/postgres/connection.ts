import { AbortedTransactionError, type CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely';
import type pg from 'pg';
import { errorFacts, messageOf } from '../../../lib/error-facts.ts';
import type { StatementListeners } from '../statement-listeners.ts';
import { toParameter } from './values.ts';

export interface ConnectionNeeds {
  /** The name to prepare a statement under; empty to have it planned for this call alone. */
  nameOf(text: string): string;
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
  /** Called with each statement of the current user. */
  note: ((text: string) => void) | undefined;
  readonly #client: pg.Client;
  readonly #needs: ConnectionNeeds;
  readonly #canPrepare: boolean;
  readonly #prepared = new Set<string>();
  /** What opens the transaction, until its first statement is sent. */
  #opening: string | null = null;
  #isInTransaction = false;
  #isUsable = true;

  constructor(client: pg.Client, canPrepare: boolean, needs: ConnectionNeeds) {
    this.#client = client;
    this.#canPrepare = canPrepare;
    this.#needs = needs;
  }

  /** Whether it can serve others after what it was used for. */
  get isUsable(): boolean {
    return this.#isUsable && this.#prepared.size <= maxPrepared && this.#client.getTransactionStatus() === 'I';
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { sql: text, parameters } = query;
    this.#needs.listeners.notify(query);
    this.note?.(text);
    const name = this.#canPrepare ? this.#needs.nameOf(text) : '';
    const statement = { text, name, values: parameters.map(toParameter) };
    try {
      const opened = this.#sendOpening();
      const answer = this.#send<R & pg.QueryResultRow>(statement);
      // Both fail when the connection breaks.
      await Promise.all([opened, answer]);
      return resultOf(await answer);
    } catch (error) {
      if (!isStalePlan(error)) throw error;
      this.#isUsable = false;
      // A failed statement ends its transaction; outside of one it can simply be sent again, unprepared.
      if (this.#isInTransaction) throw error;
      return resultOf(await this.#send<R & pg.QueryResultRow>({ ...statement, name: '' }));
    }
  }

  /** The transaction is opened together with its first statement: one without any never reaches PostgreSQL. */
  begin(opening: string): void {
    this.#isInTransaction = true;
    this.#opening = opening;
  }

  async commit(): Promise<void> {
    this.#isInTransaction = false;
    if (this.#isUnopened()) return;
    const { command } = await this.#send({ text: 'commit' });
    // After a failed statement PostgreSQL answers a commit by rolling back, without an error.
    if (command !== 'COMMIT') throw new AbortedTransactionError();
  }

  async rollback(): Promise<void> {
    this.#isInTransaction = false;
    if (!this.#isUnopened() && this.#client.getTransactionStatus() !== 'I') await this.#send({ text: 'rollback' });
  }

  async #sendOpening(): Promise<void> {
    const opening = this.#opening;
    this.#opening = null;
    if (opening !== null) await this.#send({ text: opening });
  }

  #isUnopened(): boolean {
    const isUnopened = this.#opening !== null;
    this.#opening = null;
    return isUnopened;
  }

  async #send<R extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<R>> {
    if (statement.name) this.#prepared.add(statement.name);
    try {
      return await this.#within(this.#client.query<R>(statement));
    } catch (error) {
      if (isReadOnly(error)) this.#isUsable = false;
      throw error;
    }
  }

  // biome-ignore lint/correctness/useYield: there is no streaming here
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('large results are read by Database.snapshot');
  }

  async #within<T>(answer: Promise<T>): Promise<T> {
    if (!this.hasDeadline) return answer;
    // Without waiting for what was sent, as `end` would.
    const timer = setTimeout(() => this.#client.connection.stream.destroy(), this.#needs.answerWithinMs);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  }
}

const resultOf = <R extends pg.QueryResultRow>({ rows, rowCount }: pg.QueryResult<R>): QueryResult<R> => ({
  rows,
  numAffectedRows: BigInt(rowCount ?? 0),
});

/** The schema has changed since the statement was prepared, or the statement was deallocated. */
export function isStalePlan(error: unknown): boolean {
  const { code } = errorFacts(error);
  const message = messageOf(error);
  return code === '26000' || code === '42P05' || (code === '0A000' && /cached plan/.test(message ?? ''));
}

/** The former primary is a standby now. */
const isReadOnly = (error: unknown): boolean => errorFacts(error).code === '25006';
