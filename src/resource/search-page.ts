import { type RawBuilder, sql } from 'kysely';
import type { Key } from '../platform/db/scan.ts';
import type { Call } from './call.ts';
import { orderBy, orderOf } from './query.ts';
import type { Registry, Resource } from './resource.ts';
import { isWord, searchTerms } from './search-terms.ts';
import { pageNumber, pageSize } from './verbs/list.ts';

/** So many rows are read in a few milliseconds. */
const nearRows = 10_000;
/** Before further pages all rows are skipped. */
const maxWanted = 1_000;

interface Ways {
  /** The condition for a row that is read. */
  readonly read: RawBuilder<unknown>;
  /** The same by the search index. */
  readonly found: RawBuilder<unknown>;
}

/**
 * The keys of the rows of a frequent term up to the end of the requested page; null in an order that no index has. PostgreSQL takes such rows to be
 * spread over the list, and reads the list until the page is full. They may all come late (a given name near the end of the
 * alphabet), so the list is read only for a while; then the search index finds all of them, and they are sorted.
 */
export async function keysOfPage(
  resource: Resource,
  call: Call,
  registry: Registry,
  { read, found }: Ways,
): Promise<Key[] | null> {
  const [name = '', ...others] = orderOf(resource, call);
  const column = name.replace(/^-/, '');
  const asked = call.request.query.get('page');
  const isFromEnd = asked === 'last';
  const size = pageSize(call.request.query.get('page_size'), resource.maxPageSize);
  const wanted = size * (isFromEnd ? 1 : pageNumber(asked, Number.MAX_SAFE_INTEGER));
  if (others.length > 0 || !isListOrder(resource, column) || wanted > maxWanted) return null;

  const value = resource.row().col(column);
  const isDescending = name.startsWith('-') !== isFromEnd;
  const order = orderBy(resource, call, registry, isFromEnd);
  const limit = sql`order by ${order} limit ${wanted}`;
  const end = sql`(select ${value} from ${resource.from()} order by ${value} ${isDescending ? sql`desc` : sql`asc`} limit 1 offset ${sql.lit(nearRows)})`;
  const near = sql<{ pk: Key }>`select t.pk from ${resource.from()}
    where ${read} and ${value} ${isDescending ? sql`>=` : sql`<=`} ${end} ${limit}`;
  const first = await near.execute(call.db.read);
  if (first.rows.length === wanted) return first.rows.map(({ pk }) => pk);
  const all = sql<{ pk: Key }>`with found as materialized (select t.pk, ${value} from ${resource.from()} where ${found})
    select t.pk from found as t ${limit}`;
  return (await all.execute(call.db.read)).rows.map(({ pk }) => pk);
}

/** Rows are stored about in the order of time. If a word is in old ones alone, SQLite skips those after them without reading them. */
export function nearFound(resource: Resource, call: Call, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const { scans } = call.db.dialect;
  const isByTime = orderOf(resource, call)[0]?.replace(/^-/, '') === resource.counted?.time;
  const word = isByTime && resource.hasSearchIndex ? searchTerms(resource, call).find(isWord) : undefined;
  return scans.by === 'slices' && word !== undefined
    ? scans.amongFound(resource.table, resource.search ?? [], word, condition)
    : condition;
}

/** Columns that have an index of their own and no empty values. */
const isListOrder = ({ order, counted }: Resource, column: string) =>
  order.some((name) => name.replace(/^-/, '') === column) || column === counted?.time;
