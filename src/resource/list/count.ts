import { type RawBuilder, sql } from 'kysely';
import { queryCache } from '../../platform/db/query-cache.ts';
import type { Call } from '../call.ts';
import type { Resource } from '../resource.ts';

const countCache = queryCache<number>('counts');

/** Counting more rows takes longer than reading a page of them. */
export const maxCount = 100_000;

/** The header of responses with figures that stop at `maxCount`. */
export const atLeast = { 'gatehouse-count': 'at-least' } as const;

/**
 * Counts rows by what follows `from`, up to one more than `maxCount`. Counts are cached until one of their tables
 * changes.
 */
export function countRows(resource: Resource, call: Call, rows: RawBuilder<unknown>): Promise<number> {
  return countCache.read(call.db, keyOf(resource, call, rows), async (read) => {
    const { rows: counts } = await sql<{ count: number | string }>`select count(*) as count
      from (select 1 from ${rows} limit ${sql.lit(maxCount + 1)}) as counted`.execute(read);
    return Number(counts[0]?.count ?? 0);
  });
}

/** By the condition: rendering the whole statement only to find its cached result took 5 % of a page of events. */
function keyOf({ path }: Resource, { db }: Call, rows: RawBuilder<unknown>): string {
  const { sql: condition, parameters } = rows.compile(db.read);
  return JSON.stringify([path, condition, parameters]);
}
