import { type RawBuilder, sql } from 'kysely';
import { queryCache } from '../platform/db/query-cache.ts';
import type { Call } from './call.ts';
import type { Resource } from './resource.ts';

export type CountRows = (resource: Resource, call: Call, where: RawBuilder<unknown>) => Promise<number>;

const cache = queryCache<number>('counts');

/**
 * Counts the rows of a list. Counting a large table takes longer than reading a page of it, so a count is kept as long as
 * none of the tables has changed; where the database does not tell, every count is made anew.
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
