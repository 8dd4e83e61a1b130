import { sql } from 'kysely';
import { queryCache } from '../platform/db/query-cache.ts';
import { countSql } from './counted.ts';
import type { CountRows } from './resource.ts';

/** Null is what cannot be cached. */
export const countCache = queryCache<number | null>('counts');

/**
 * Counts the rows of a list. Counting a large table takes longer than reading a page of it, so counts are cached
 * until one of the tables changes, and the largest tables are counted ahead (`counted`).
 */
export function createCount(): CountRows {
  return async (resource, call, { where, isCounted }) => {
    const { counted } = resource;
    // By the condition: making the whole statement only to find its cached result took 5 % of a page of events.
    const { sql: condition, parameters } = where.compile(call.db.read);
    const key = JSON.stringify([resource.path, isCounted, condition, parameters]);
    const count = await countCache.read(call.db, key, async (read) => {
      const counting =
        counted && isCounted
          ? countSql(resource, counted, where)
          : sql<{ count: number }>`select count(*) as count from ${resource.from()} ${where}`;
      const { rows } = await counting.execute(read);
      return Number(rows[0]?.count ?? 0);
    });
    return count ?? 0;
  };
}
