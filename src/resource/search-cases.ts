import { type RawBuilder, sql } from 'kysely';
import { countFound, findKeys, findKeysQuickly, type Key, type RowCount, type Scan } from '../platform/db/scan.ts';
import type { Call } from './call.ts';
import { cachedCountOf } from './count.ts';
import type { Listed } from './counted-rows.ts';
import type { CountRows, Registry, Resource } from './resource.ts';
import { keysOfPage, nearFound } from './search-page.ts';
import { fewRows } from './search-terms.ts';

/** A search of one of the largest tables. */
export interface Searching {
  readonly resource: Resource;
  readonly call: Call;
  readonly registry: Registry;
  readonly count: CountRows;
  /** The terms that lead to few rows by the search index. */
  readonly narrow: readonly string[];
  /** Those to look for by the search index if few rows are expected. */
  readonly indexed: readonly string[];
  /** Whether filters, rights or terms lead to the rows. */
  readonly isNarrowed: boolean;
  /** All conditions, with these terms by the search index. */
  where(indexed: readonly string[]): RawBuilder<unknown>;
  scan(indexed: readonly string[]): Scan;
  total(): Promise<number>;
  /** How many rows match, if they are frequent in a sample of a very large table; looked for once. */
  estimate(): Promise<RowCount | null>;
  /** Runs one scan at a time. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

/** Finds the rows of a search, or null if it is a case for another. */
export type SearchCase = (searching: Searching) => Promise<Listed | null>;

/** SQLite follows the index of a filter or a term. */
export const led: SearchCase = async ({ resource, call, count, narrow, isNarrowed, where }) => {
  if (call.db.dialect.scans.by !== 'slices' || !isNarrowed) return null;
  const found = sql`where ${where(narrow)}`;
  const rows = () => count(resource, call, { where: found, isCounted: false });
  return { where: found, count: async () => ({ rows: await rows(), isExact: true }) };
};

/** One look of PostgreSQL at its indexes serves the page and the count. */
export const few =
  (most: number): SearchCase =>
  async (searching) => {
    const { indexed, isNarrowed, scan } = searching;
    const keys = indexed.length > 0 || isNarrowed ? await findKeysQuickly(scan(indexed), most) : null;
    return keys && byKeys(searching, keys);
  };

/** Reading rows in order soon fills a page. */
export const frequent =
  (least: number): SearchCase =>
  async (searching) => {
    const { call, indexed, narrow, where } = searching;
    const estimate = await searching.estimate();
    if (!estimate || estimate.rows <= least) return null;
    if (call.db.dialect.scans.by === 'slices')
      return { where: sql`where ${nearFound(searching.resource, call, where([]))}`, count: async () => estimate };
    const keys = await keysOfPage(searching.resource, call, searching.registry, {
      read: where([]),
      found: where(indexed),
    });
    const page = keys ? byKeys(searching, keys).where : sql`where ${where(narrow)}`;
    return { where: page, count: async () => estimate };
  };

/** A scan finds them all, for the page and for the count. */
export const rare: SearchCase = async (searching) => {
  if (searching.isNarrowed) return null;
  const keys = await searching.inTurn(() => findKeys(searching.scan(searching.indexed), fewRows));
  return keys && byKeys(searching, keys);
};

/** The page is read in order, and the rest counted for some seconds. */
export const many: SearchCase = async ({ resource, call, narrow, where, scan, total, inTurn }) => {
  const condition = where(narrow);
  return {
    where: sql`where ${condition}`,
    count: () =>
      cachedCountOf(resource, call, condition, (read) => inTurn(() => countFound({ ...scan([]), read }, total))),
  };
};

const byKeys = ({ resource, call }: Searching, keys: readonly Key[]): Listed => ({
  where: sql`where ${call.db.dialect.isOneOf(resource.row().col('pk'), keys, resource.key)}`,
  count: async () => ({ rows: keys.length, isExact: true }),
});
