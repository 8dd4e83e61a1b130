import { sql } from 'kysely';
import { queryCache } from '../platform/db/query-cache.ts';
import type { CountRows } from './resource.ts';

const cache = queryCache<number>('counts');

/**
 * Counts the rows of a list. Counting a large table takes longer than reading a page of it, so counts are cached
 * until one of the tables changes.
 */
export function createCount(): CountRows {
  return (resource, call, where) => {
    const query = sql<{ count: number }>`select count(*) as count from ${resource.from()} ${where}`.compile(
      call.db.read,
    );
    return cache.read(call.db, `${query.sql}\n${JSON.stringify(query.parameters)}`, async (read) => {
      const { rows } = await read.executeQuery(query);
      return Number(rows[0]?.count ?? 0);
    });
  };
}
