import { type RawBuilder, sql } from 'kysely';
import { createRecentlyUsed } from '../lib/recently-used.ts';
import type { Call } from './call.ts';
import type { Resource } from './resource.ts';

export type CountRows = (resource: Resource, call: Call, where: RawBuilder<unknown>) => Promise<number>;

const remembered = 500;

/**
 * Counts the rows of a list. Counting a large table takes longer than reading a page of it, so a count is kept as long as
 * nothing has been committed since; where the database does not tell, every count is made anew.
 */
export function createCount(): CountRows {
  const known = createRecentlyUsed<{ readonly version: number; readonly count: number }>(remembered);
  return async (resource, call, where) => {
    const { read } = call.db;
    const query = sql<{ count: number }>`select count(*) as count from ${resource.from()} ${where}`.compile(read);
    const version = call.db.version();
    const key = `${query.sql}\n${JSON.stringify(query.parameters)}`;
    const kept = known.get(key);
    if (version !== null && kept?.version === version) return kept.count;
    const { rows } = await read.executeQuery(query);
    const count = Number(rows[0]?.count ?? 0);
    // The version was asked for first: a commit in between makes the next caller count again.
    if (version !== null) known.set(key, { version, count });
    return count;
  };
}
