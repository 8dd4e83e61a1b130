import { type CompiledQuery, type QueryResult, type RawBuilder, sql } from 'kysely';
import type { Query } from './database.ts';

/** A query that says how PostgreSQL gets it; see below. */
export interface SentQuery extends CompiledQuery {
  /** The rows of one that is sent later are added to its result when whatever waits for an answer next has got it. */
  readonly sent?: 'later' | 'last';
  /**
   * The error that fails the transaction if the statement, which is sent later, finds no row: of whatever waits for an
   * answer next, or of the commit.
   */
  readonly orElse?: (() => Error) | undefined;
}

/** Fails if the query finds no row: PostgreSQL divides by zero, which is as plain as its statements can fail. */
export const orFail = (query: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`with found as (${query}) select 1 / count(*) from found`;
export const foundNothing = '22012';

/**
 * Runs a statement of a transaction whose result nobody needs. PostgreSQL gets it in one packet with the next statement or the commit, which
 * saves a round trip; if it fails, so do they.
 */
export async function runLater(tx: Query, query: RawBuilder<unknown>): Promise<void> {
  await send(tx, query, 'later');
}

/** Runs the last statement of a transaction. PostgreSQL gets the commit with it: once this resolves, it cannot be rolled back. */
export const runLast = <R>(tx: Query, query: RawBuilder<R>): Promise<QueryResult<R>> => send(tx, query, 'last');

function send<R>(tx: Query, query: RawBuilder<R>, sent: SentQuery['sent']): Promise<QueryResult<R>> {
  const compiled = { ...query.compile(tx), sent };
  return tx.executeQuery(compiled);
}
