import { type RawBuilder, sql } from 'kysely';
import { mapInTurns } from '../../lib/map-in-turns.ts';
import { Problem } from '../../lib/problem.ts';
import { readList } from '../../platform/db/read-list.ts';
import { visibleRows } from '../access/access.ts';
import { type Call, type Reply, readBy } from '../call.ts';
import { type Row, readContext } from '../fields/field.ts';
import type { Engine, Registry, Resource } from '../resource.ts';
import { atLeast, countRows, maxCount } from './count.ts';
import { filterConditions, orderBy, orderOf } from './query.ts';
import { findBySearch } from './search.ts';

const defaultPageSize = 100;
/** Page sizes up to this have statements of their own, so that they are planned once. */
const maxCommonSize = 100;
/** Larger pages take tens of milliseconds to read. */
const maxQuickSize = 1_000;
/** Larger pages could exhaust the server; the envelope shows that there are more. */
const defaultMaxPageSize = 10_000;
const maxOffset = 2 ** 31 - 1;

/** Rows and their count; nested objects need no further statements. */
export async function list(engine: Engine, resource: Resource, call: Call): Promise<Reply> {
  const { registry } = engine;
  const visible = await visibleRows(resource, call, registry);
  const selected = [...(visible ? [visible] : []), ...(await filterConditions(resource, call, registry))];
  const size = pageSize(call.request.query.get('page_size'), resource.maxPageSize);
  const read = () =>
    readList(call.db, async (query) => {
      const reading = readBy(call, query);
      const { conditions, byIndex } = await findBySearch(resource, reading, registry);
      const where = whereAll([...selected, ...conditions]);
      return readPage(engine, resource, reading, {
        size,
        where,
        // With other conditions, an index of theirs leads to the rows.
        count() {
          const isByIndex = byIndex && selected.length === 0;
          return countRows(resource, reading, isByIndex ? byIndex : sql`${resource.from()} ${where}`);
        },
      });
    });
  return size > maxQuickSize ? engine.inTurn(read) : read();
}

export const whereAll = (conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> =>
  conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``;

interface Listed {
  readonly size: number;
  readonly where: RawBuilder<unknown>;
  count(): Promise<number>;
}

interface Part {
  readonly limit: number;
  readonly offset: number;
}

async function readPage(engine: Engine, resource: Resource, call: Call, listed: Listed): Promise<Reply> {
  const { registry } = engine;
  const { size, where } = listed;
  const plan = engine.plan(resource, call, 'listed');
  const read = async (part: Part) => {
    const build = () => pageSql(resource, call, registry, { list: plan.list, where, part });
    if (!plan.runPage) return (await build().execute(call.db.read)).rows;
    const { sql: condition, parameters } = where.compile(call.db.read);
    const { text, values } = shapeOf(part);
    // No name of an order has a space.
    const shape = `${text} ${orderOf(resource, call)} ${condition}`;
    return plan.runPage(call.db.read, shape, [...parameters, ...values], build);
  };
  const { page, rows, count, hasMore } = await rowsOf(call.request.query.get('page'), listed, read);
  const context = readContext(call, registry);
  await plan.showAhead(rows, context);
  const results = await mapInTurns(rows, (raw) => plan.show(raw, context));
  const isExact = count <= maxCount;
  const body = envelope(results, { count: Math.min(count, maxCount), page, size, hasMore });
  return { status: 200, body, ...(!isExact && { headers: atLeast }) };
}

/** The rows of a page. The count may stop behind `maxCount`, but `hasMore` leads to the last row. */
async function rowsOf(
  asked: string | null,
  { size, count: countAll }: Listed,
  read: (part: Part) => Promise<readonly Row[]>,
) {
  const firstRows = !asked || asked === '1' ? await read({ limit: size, offset: 0 }) : null;
  // A first page with room left holds all there is.
  if (firstRows && firstRows.length < size)
    return { page: 1, rows: firstRows, count: firstRows.length, hasMore: false };
  const count = await countAll();
  const isExact = count <= maxCount;
  const lastCounted = Math.max(1, Math.ceil(Math.min(count, maxCount) / size));
  const page = asked === 'last' ? lastCounted : pageNumber(asked, isExact ? lastCounted : Math.floor(maxOffset / size));
  const offset = (page - 1) * size;
  if (isExact || offset + size <= maxCount) {
    const rows = firstRows ?? (count === 0 ? [] : await read({ limit: size, offset }));
    return { page, rows, count, hasMore: page * size < count };
  }
  const rows = await read({ limit: size + 1, offset });
  if (rows.length === 0) throw new Problem('invalid_page');
  return { page, rows: rows.slice(0, size), count, hasMore: rows.length > size };
}

interface PageSql {
  readonly list: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
  readonly part: Part;
}

/** Selects the page by keys first: otherwise nested objects would be built for every row that is sorted or skipped. */
function pageSql(resource: Resource, call: Call, registry: Registry, { list, where, part }: PageSql): RawBuilder<Row> {
  const pk = resource.row().col('pk');
  const order = orderBy(resource, call, registry);
  const keys = sql`select ${pk} from ${resource.from()} ${where} order by ${order} ${partSql(part)}`;
  return sql<Row>`select ${list} from ${resource.from()} where ${pk} in (${keys}) order by ${order}`;
}

/**
 * PostgreSQL caches a plan only if it is as good as one made for the given values. So common sizes are literals, and
 * the offset is hidden from the planner, which would otherwise plan every page again: that takes longer than reading
 * it.
 */
function partSql({ limit: size, offset }: Part): RawBuilder<unknown> {
  const limit = isCommon(size) ? sql.lit(size) : sql`${size}`;
  return offset === 0 ? sql`limit ${limit}` : sql`limit ${limit} offset (select cast(${offset} as integer))`;
}

const isCommon = (size: number) => size <= maxCommonSize;

/** The inputs of the text of `partSql`, and its parameters. */
function shapeOf({ limit, offset }: Part) {
  return {
    text: `${isCommon(limit) ? limit : 'large'} ${offset > 0}`,
    values: [...(isCommon(limit) ? [] : [limit]), ...(offset > 0 ? [offset] : [])],
  };
}

export function pageSize(text: string | null, largest = defaultMaxPageSize): number {
  const number = /^\d+$/.test(text ?? '') ? Number(text) : 0;
  return Math.min(number > 0 ? number : defaultPageSize, largest);
}

export function pageNumber(text: string | null, last: number): number {
  if (!text) return 1;
  if (text === 'last') return last;
  const page = /^\d+$/.test(text) ? Number(text) : 0;
  if (page < 1 || page > last) throw new Problem('invalid_page');
  return page;
}

interface Pagination {
  readonly count: number;
  readonly page: number;
  readonly size: number;
  /** Whether there is a next page, if the count does not say so. */
  readonly hasMore?: boolean;
}

/** The paginated format of all lists. */
export function envelope(results: readonly unknown[], { count, page, size, hasMore = false }: Pagination): Row {
  const totalPages = Math.max(1, Math.ceil(count / size), hasMore ? page + 1 : page);
  const start = count === 0 ? 0 : (page - 1) * size + 1;
  return {
    pagination: {
      next: page < totalPages ? page + 1 : 0,
      previous: page > 1 ? page - 1 : 0,
      count,
      current: page,
      total_pages: totalPages,
      start_index: start,
      end_index: count === 0 ? 0 : start + results.length - 1,
    },
    results,
  };
}
