import type { CompiledQuery, QueryResult, RawBuilder } from 'kysely';
import type { Query } from './database.ts';

const later = new WeakSet<CompiledQuery>();
const last = new WeakSet<CompiledQuery>();

/**
 * Runs a statement of a transaction whose result nobody needs. PostgreSQL gets it in one packet with the next statement or the commit, which
 * saves a round trip; if it fails, so do they.
 */
export async function runLater(tx: Query, query: RawBuilder<unknown>): Promise<void> {
  const compiled = query.compile(tx);
  markLater(compiled);
  await tx.executeQuery(compiled);
}

/** Runs the last statement of a transaction. PostgreSQL gets the commit with it: once this resolves, it cannot be rolled back. */
export async function runLast<R>(tx: Query, query: RawBuilder<R>): Promise<QueryResult<R>> {
  const compiled = query.compile(tx);
  last.add(compiled);
  return tx.executeQuery(compiled);
}

export const markLater = (query: CompiledQuery): void => void later.add(query);
export const isSentLater = (query: CompiledQuery): boolean => later.has(query);
export const isSentLast = (query: CompiledQuery): boolean => last.has(query);
