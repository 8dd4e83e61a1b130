import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../platform/db/database.ts';
import { queryCache } from '../platform/db/query-cache.ts';
import { estimateFrom, type RowCount, sample, sampleRows } from '../platform/db/scan.ts';
import type { Call } from './call.ts';
import { countSql } from './counted.ts';
import type { CountRows, Resource } from './resource.ts';

/** Null is what cannot be cached. */
const countCache = queryCache<number | null>('counts');

/** Counting so many rows takes some milliseconds, if an index leads to them. */
const manyRows = 100_000;
/** Filters often name a time, and rows of one time are neighbours. */
const slices = 200;

/**
 * Counts the rows of a list. Counting a large table takes longer than reading a page of it, so counts are cached
 * until one of the tables changes, and the largest tables are counted ahead (`counted`).
 */
export function createCount(): CountRows {
  return (resource, call, { where, isCounted }) => {
    const { counted } = resource;
    return cachedCount(resource, call, where, isCounted ? 'ahead' : 'all', (read) =>
      counted && isCounted
        ? runCount(read, countSql(resource, counted, where))
        : runCount(read, sql`select count(*) as count from ${resource.from()} ${where}`),
    );
  };
}

/** Counts the rows of one of the largest tables that meet a condition. If they are many, it estimates them from a sample. */
export async function countSome(
  resource: Resource,
  call: Call,
  condition: RawBuilder<unknown>,
  total: () => Promise<number>,
): Promise<RowCount> {
  const { dialect } = call.db;
  const { table } = resource;
  const counted = await cachedCount(resource, call, condition, 'some', (read) =>
    runCount(
      read,
      sql`select count(*) as count from (select 1 from ${resource.from()} where ${condition}
        limit ${sql.lit(manyRows + 1)}) as found`,
    ),
  );
  if (counted <= manyRows) return { rows: counted, isExact: true };
  const all = await total();
  const estimate = await cachedCount(resource, call, condition, 'about', async (read) =>
    estimateFrom(await sample({ read, dialect, table, where: () => condition }, all, sampleRows, slices), all),
  );
  return { rows: Math.max(counted, estimate), isExact: false };
}

/** A count that may be an estimate; estimates are not cached. */
export async function cachedCountOf(
  resource: Resource,
  call: Call,
  condition: RawBuilder<unknown>,
  load: (read: Query) => Promise<RowCount>,
): Promise<RowCount> {
  let loaded: RowCount | undefined;
  const rows = await countCache.read(call.db, keyOf(resource, call, condition, 'found'), async (read) => {
    loaded = await load(read);
    return loaded.isExact ? loaded.rows : null;
  });
  return loaded ?? { rows: rows ?? 0, isExact: true };
}

async function runCount(read: Query, counting: RawBuilder<{ count: number | string }>): Promise<number> {
  const { rows } = await counting.execute(read);
  return Number(rows[0]?.count ?? 0);
}

async function cachedCount(
  resource: Resource,
  call: Call,
  where: RawBuilder<unknown>,
  way: Way,
  load: (read: Query) => Promise<number>,
): Promise<number> {
  return (await countCache.read(call.db, keyOf(resource, call, where, way), load)) ?? 0;
}

type Way = 'ahead' | 'all' | 'some' | 'about' | 'found';

/** By the condition: making the whole statement only to find its cached result took 5 % of a page of events. */
function keyOf({ path }: Resource, { db }: Call, where: RawBuilder<unknown>, way: Way): string {
  const { sql: condition, parameters } = where.compile(db.read);
  return JSON.stringify([path, way, condition, parameters]);
}
