import { type RawBuilder, sql } from 'kysely';
import { createWorkQueue } from '../lib/work-queue.ts';
import {
  countFound,
  estimateFrom,
  findKeys,
  findKeysQuickly,
  type Key,
  type RowCount,
  type Scan,
  sample,
  sampleRows,
} from '../platform/db/scan.ts';
import { DatabaseBusy } from '../platform/db/unreachable.ts';
import type { Call } from './call.ts';
import { countCache } from './count.ts';
import { orderOf } from './query.ts';
import type { CountRows, FindRows, Registry, Resource } from './resource.ts';
import { isIndexed, isWord, searchConditions, searchTerms } from './search-conditions.ts';
import { keysOfPage } from './search-page.ts';

/** So many rows are found and fetched by their keys in a few milliseconds. */
const veryFewRows = 1_000;
/** So many rows are fetched by their keys and sorted soon. If a search finds more, reading rows in order soon fills a page. */
const fewRows = 10_000;
/** Counting a term in so many rows takes tens of milliseconds. In more it is estimated if it is frequent. */
const manyRows = 100_000;
/** So often among so many rows of a sample. The estimate is then off by a few per cent, and reading rows in order soon fills a page. */
const frequent = [
  { found: 500, of: sampleRows / 4 },
  { found: 200, of: sampleRows },
];
/** A scan takes a core for seconds, and on PostgreSQL a connection. */
const limits = { concurrency: 1, queue: 20, full: () => new DatabaseBusy('too many searches scan a table already') };

/**
 * Searches of the largest tables (`counted`). What is rare is found by the search index. One letter, and what most rows contain, is
 * looked for in a sample: if it is frequent, the page is there at once, and the count is an estimate. Otherwise a scan finds it.
 */
export function createSearch(registry: Registry, count: CountRows): FindRows {
  const inTurn = createWorkQueue(limits);
  return async (resource, call, conditions) => {
    const { read, dialect } = call.db;
    const where = (indexed: readonly string[]) =>
      sql.join([...conditions, ...searchConditions(resource, call, registry, { indexed })], sql` and `);
    const scanBy = (indexed: readonly string[]): Scan => ({
      read,
      dialect,
      table: resource.table,
      where: () => where(indexed),
    });
    const scan = scanBy([]);
    const total = () => count(resource, call, { where: sql``, isCounted: true });
    const byKeys = (keys: Key[]) => ({
      where: sql`where ${dialect.isOneOf(resource.row().col('pk'), keys, resource.key)}`,
      count: async () => ({ rows: keys.length, isExact: true }),
    });

    const narrow = await narrowTerms(resource, call);
    const isSliced = dialect.scans.by === 'slices';
    const isNarrowed = conditions.length > 0 || narrow.length > 0;
    const indexed = sql`where ${where(narrow)}`;
    if (isSliced && isNarrowed) {
      const rows = () => count(resource, call, { where: indexed, isCounted: false });
      return { where: indexed, count: async () => ({ rows: await rows(), isExact: true }) };
    }

    const terms = isSliced || narrow.length > 0 ? narrow : indexedTerms(resource, call);
    // One look at the index serves the page and the count.
    const look = async (most: number) => (terms.length > 0 || isNarrowed ? findKeysQuickly(scanBy(terms), most) : null);
    const few = await look(veryFewRows);
    if (few) return byKeys(few);
    const estimated = await estimate(scan, total);
    const isFrequent = estimated !== null && (isSliced || estimated.rows > 2 * fewRows);
    const some = isFrequent ? null : await look(fewRows);
    if (some) return byKeys(some);
    if (estimated) {
      const page = isSliced
        ? null
        : await keysOfPage(resource, call, registry, { read: where([]), found: where(terms) });
      const inOrder = isSliced ? sql`where ${nearFound(resource, call, where([]))}` : indexed;
      return { where: page ? byKeys(page).where : inOrder, count: async () => estimated };
    }
    if (isNarrowed) return { where: indexed, count: () => inTurn(() => countFound(scan, total)) };
    const keys = await inTurn(() => findKeys(scanBy(terms), fewRows));
    if (keys) return byKeys(keys);
    return {
      where: sql`where ${where([])}`,
      count: () => cached(resource, call, (reading) => inTurn(() => countFound({ ...scan, read: reading }, total))),
    };
  };
}

/** Rows are stored about in the order of time. If a word is in old ones alone, those after them are skipped without being read. */
function nearFound(resource: Resource, call: Call, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const { scans } = call.db.dialect;
  const isByTime = orderOf(resource, call)[0]?.replace(/^-/, '') === resource.counted?.time;
  const word = isByTime ? searchTerms(resource, call).find(isWord) : undefined;
  return scans.by === 'slices' && word !== undefined
    ? scans.amongFound(resource.table, resource.searchIndex ?? [], word, condition)
    : condition;
}

/** How many rows of a very large table match, if they are frequent. */
async function estimate(scan: Scan, total: () => Promise<number>): Promise<RowCount | null> {
  const all = await total();
  if (all <= manyRows) return null;
  for (const enough of frequent) {
    const seen = await sample(scan, all, enough.of);
    if (seen.found >= enough.found) return { rows: estimateFrom(seen, all), isExact: false };
  }
  return null;
}

/** The terms that lead to few rows by the search index, if any does. */
export async function narrowTerms(resource: Resource, call: Call): Promise<string[]> {
  const { read, dialect } = call.db;
  const terms = indexedTerms(resource, call);
  // PostgreSQL knows from its statistics how frequent a word is.
  if (dialect.scans.by === 'time') return terms.filter(isWord);
  for (const term of terms) {
    const found = dialect.scans.found(resource.table, resource.searchIndex ?? [], term, fewRows + 1);
    const { rows } = await found.execute(read);
    if ((rows[0]?.count ?? 0) <= fewRows) return [term];
  }
  return [];
}

const indexedTerms = (resource: Resource, call: Call) =>
  searchTerms(resource, call).filter((term) => isIndexed(resource, term, call.db.dialect));

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
