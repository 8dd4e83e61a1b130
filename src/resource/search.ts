import { sql } from 'kysely';
import { createWorkQueue } from '../lib/work-queue.ts';
import { estimateFrom, type RowCount, type Scan, sample, sampleRows } from '../platform/db/scan.ts';
import { DatabaseBusy } from '../platform/db/unreachable.ts';
import type { CountRows, FindRows, Registry } from './resource.ts';
import { few, frequent, led, many, rare, type SearchCase, type Searching } from './search-cases.ts';
import { searchConditions } from './search-conditions.ts';
import { fewRows, indexedTerms, narrowTerms } from './search-terms.ts';

/** So many rows are found and fetched by their keys in a few milliseconds. */
const veryFewRows = 1_000;
/** Counting a term in so many rows takes tens of milliseconds. In more it is estimated if it is frequent. */
const manyRows = 100_000;
/** So often among so many rows of a sample. The estimate is then off by a few per cent, and reading rows in order soon fills a page. */
const frequency = [
  { found: 500, of: sampleRows / 4 },
  { found: 200, of: sampleRows },
];
/** A scan takes a core for seconds, and on PostgreSQL a connection. */
const limits = { concurrency: 1, queue: 20, full: () => new DatabaseBusy('too many searches scan a table already') };

/**
 * How searches of the largest tables (`counted`) are done: the first case that applies.
 *
 * | case     | when                                                       | page                 | count             | costs              |
 * | -------- | ---------------------------------------------------------- | -------------------- | ----------------- | ------------------ |
 * | led      | SQLite: a filter, or a term in at most 10,000 rows          | by that index        | exact             | the rows it leads to |
 * | few      | PostgreSQL: at most 1,000 rows found by indexes in 0.5 s    | by their keys        | exact             | one look           |
 * | frequent | more than 20,000 by a sample (a table of 100,000 or more)   | in order             | estimate          | the sample         |
 * | few      | PostgreSQL: at most 10,000, likewise                        | by their keys        | exact             | one look           |
 * | frequent | a hundredth of a sample                                     | in order             | estimate          | it is there already |
 * | rare     | no filter or word, and a scan finds at most 10,000          | by their keys        | exact             | a scan             |
 * | many     | otherwise                                                   | in order             | exact within 5 s  | a scan             |
 */
const cases: readonly SearchCase[] = [
  led,
  few(veryFewRows),
  frequent(2 * fewRows),
  few(fewRows),
  frequent(0),
  rare,
  many,
];

export function createSearch(registry: Registry, count: CountRows): FindRows {
  const inTurn = createWorkQueue(limits);
  return async (resource, call, conditions) => {
    const { read, dialect } = call.db;
    const narrow = await narrowTerms(resource, call);
    const where: Searching['where'] = (indexed) =>
      sql.join([...conditions, ...searchConditions(resource, call, registry, { indexed })], sql` and `);
    const scan: Searching['scan'] = (indexed) => ({
      read,
      dialect,
      table: resource.table,
      where: () => where(indexed),
    });
    const total = () => count(resource, call, { where: sql``, isCounted: true });
    let estimated: Promise<RowCount | null> | undefined;
    const searching: Searching = {
      ...{ resource, call, registry, count, narrow, where, scan, total, inTurn },
      indexed: dialect.scans.by === 'slices' || narrow.length > 0 ? narrow : indexedTerms(resource, call),
      isNarrowed: conditions.length > 0 || narrow.length > 0,
      estimate() {
        estimated ??= estimate(scan([]), total);
        return estimated;
      },
    };
    for (const find of cases) {
      const listed = await find(searching);
      if (listed) return listed;
    }
    throw new Error('the last case always applies');
  };
}

/** How many rows of a very large table match, if they are frequent. */
async function estimate(scan: Scan, total: () => Promise<number>): Promise<RowCount | null> {
  const all = await total();
  if (all <= manyRows) return null;
  for (const enough of frequency) {
    const seen = await sample(scan, all, enough.of);
    if (seen.found >= enough.found) return { rows: estimateFrom(seen, all), isExact: false };
  }
  return null;
}
