import { sql } from 'kysely';
import { createWorkQueue } from '../lib/work-queue.ts';
import type { Slice } from '../platform/db/dialect.ts';
import {
  countFound,
  countQuickly,
  estimateFrom,
  findKeys,
  type RowCount,
  type Scan,
  sample,
} from '../platform/db/scan.ts';
import { DatabaseBusy } from '../platform/db/unreachable.ts';
import type { Call } from './call.ts';
import { countCache } from './count.ts';
import type { CountRows, FindRows, Registry, Resource } from './resource.ts';
import { indexedColumns, searchConditions, searchTerms } from './search-conditions.ts';

/** So many rows are sorted soon. If a search finds more, reading rows in order soon fills a page. */
const fewRows = 10_000;
/** Counting a term in so many rows takes tens of milliseconds. In more it is estimated if it is frequent. */
const manyRows = 100_000;
/** So often among the rows of a sample. The estimate is then off by a few per cent, and reading rows in order soon fills a page. */
const frequent = 200;
/** A scan takes a core for seconds, and on PostgreSQL a connection. */
const limits = { concurrency: 1, queue: 20, full: () => new DatabaseBusy('too many searches scan a table already') };

/**
 * Searches of the largest tables (`counted`). A rare word is found by the search index. One or two letters, and words of most rows, are
 * looked for in a sample: if they are frequent, the page is there at once, and the count is an estimate. Otherwise a scan finds them.
 */
export function createSearch(registry: Registry, count: CountRows): FindRows {
  const inTurn = createWorkQueue(limits);
  return async (resource, call, conditions) => {
    const { read, dialect } = call.db;
    const { table } = resource;
    const where = (options: { slice?: Slice | undefined; isPlain?: boolean }) =>
      sql.join([...conditions, ...searchConditions(resource, call, registry, options)], sql` and `);
    const total = () => count(resource, call, { where: sql``, isCounted: true });

    if (conditions.length > 0 || !(await isBroad(resource, call))) {
      const indexed = sql`where ${where({})}`;
      if (dialect.scans.by === 'slices') {
        const rows = () => count(resource, call, { where: indexed, isCounted: false });
        return { where: indexed, count: async () => ({ rows: await rows(), isExact: true }) };
      }
      const scan: Scan = { read, dialect, table, where: () => where({ isPlain: true }) };
      return {
        where: indexed,
        count: async () =>
          (await countQuickly(scan, where({}), fewRows)) ??
          (await estimate(scan, total)) ??
          (await inTurn(() => countFound(scan, total))),
      };
    }

    const scan: Scan = { read, dialect, table, where: (slice) => where({ slice, isPlain: true }) };
    const estimated = await estimate(scan, total);
    if (estimated) return { where: sql`where ${where({ isPlain: true })}`, count: async () => estimated };
    const keys = await inTurn(() => findKeys(scan, fewRows));
    if (keys) {
      return {
        where: sql`where ${dialect.isOneOf(resource.row().col('pk'), keys, resource.key)}`,
        count: async () => ({ rows: keys.length, isExact: true }),
      };
    }
    return {
      where: sql`where ${where({ isPlain: true })}`,
      count: () => cached(resource, call, (reading) => inTurn(() => countFound({ ...scan, read: reading }, total))),
    };
  };
}

/** How many rows of a very large table match, if they are frequent. */
async function estimate(scan: Scan, total: () => Promise<number>): Promise<RowCount | null> {
  const all = await total();
  if (all <= manyRows) return null;
  const found = await sample(scan, all);
  return found.found < frequent ? null : { rows: estimateFrom(found, all), isExact: false };
}

/** Whether no term leads to few rows by the search index. */
export async function isBroad(resource: Resource, call: Call): Promise<boolean> {
  const { read, dialect } = call.db;
  for (const term of searchTerms(resource, call)) {
    const columns = indexedColumns(resource, term);
    if (columns.length === 0) continue;
    // PostgreSQL knows from its statistics how frequent a term is.
    if (dialect.scans.by === 'time') return false;
    const { rows } = await dialect.scans.found(resource.table, columns, term, fewRows + 1).execute(read);
    if ((rows[0]?.count ?? 0) <= fewRows) return false;
  }
  return true;
}

/** Estimates are not cached. */
async function cached(
  resource: Resource,
  call: Call,
  load: (read: Call['db']['read']) => Promise<RowCount>,
): Promise<RowCount> {
  const loaded: RowCount[] = [];
  const key = JSON.stringify([resource.model, ...searchTerms(resource, call)]);
  const rows = await countCache.read(call.db, key, async (read) => {
    const found = await load(read);
    loaded.push(found);
    return found.isExact ? found.rows : null;
  });
  return loaded[0] ?? { rows: rows ?? 0, isExact: true };
}
