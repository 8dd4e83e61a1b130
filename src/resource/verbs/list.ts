import { type RawBuilder, sql } from 'kysely';
import { mapInTurns } from '../../lib/map-in-turns.ts';
import { Invalid, Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { readList } from '../../platform/db/read-list.ts';
import { tookTooLong } from '../../platform/db/scan.ts';
import { visibleRows } from '../access.ts';
import { type Call, type Reply, readBy } from '../call.ts';
import { countSome } from '../count.ts';
import { isCountedBy } from '../counted.ts';
import { estimated, type Listed } from '../counted-rows.ts';
import { countOfTime } from '../counted-span.ts';
import { type Row, readContext } from '../fields/field.ts';
import { filterConditions, inOrder, orderBy, orderOf } from '../query.ts';
import type { Engine, Registry, Resource } from '../resource.ts';
import { searchConditions } from '../search-conditions.ts';
import { searchTerms } from '../search-terms.ts';
import { type Part, type Start, startOf } from './far-page.ts';

const defaultPageSize = 100;
/** Page sizes up to this have statements of their own, so that they are planned once. */
const maxCommonSize = 100;
/** Larger pages take tens of milliseconds to read. */
const maxQuickSize = 1_000;
/** Larger pages could exhaust the server; the envelope tells the caller that there are more. */
const defaultMaxPageSize = 10_000;
const maxOffset = 2 ** 31 - 1;
const tooBroad = 'This search takes too long. Enter a longer word, or narrow it down with filters.';

/** Rows and their count; nested objects need no further statements. */
export async function list(engine: Engine, resource: Resource, call: Call): Promise<Reply> {
  const { registry } = engine;
  const visible = await visibleRows(resource, call, registry);
  const filters = await filterConditions(resource, call, registry);
  const others = [...(visible ? [visible] : []), ...filters];
  const isSearch = searchTerms(resource, call).length > 0;
  const isQuick = !isSearch && isSoonRead(resource, call, { filters: filters.length, isAll: visible === null });
  // Visibility has been decided above, on the primary.
  const readPart = async (read: Query) => {
    const reading = readBy(call, read);
    try {
      const listed =
        isSearch && resource.counted
          ? await engine.search(resource, reading, others)
          : listedBy(engine, resource, reading, {
              conditions: [...others, ...searchConditions(resource, call, registry)],
              isFiltered: !visible && !isSearch,
            });
      return await readPage(engine, resource, reading, listed);
    } catch (error) {
      if (isSearch && tookTooLong(error)) throw Invalid.field('search', tooBroad);
      throw error;
    }
  };
  const read = () => readList(call.db, readPart, { isQuick, subject: resource });
  return isLarge(resource, call) ? engine.inTurn(read) : read();
}

const isLarge = (resource: Resource, { request }: Call): boolean =>
  pageSize(request.query.get('page_size'), resource.maxPageSize) > maxQuickSize;

/**
 * Whether the page is not huge and in the order of the resource. Of large tables an index must have the rows in this order, too:
 * all of them, or those with one value of a column that rows are counted by.
 */
function isSoonRead(
  resource: Resource,
  call: Call,
  of: { readonly filters: number; readonly isAll: boolean },
): boolean {
  const { query } = call.request;
  const { counted } = resource;
  if (isLarge(resource, call)) return false;
  if (orderOf(resource, call) !== resource.order) return false;
  if (!counted) return true;
  const given = (name: string) => query.getAll(name).filter((text) => text.trim() !== '');
  const isCounted = of.filters === 1 && counted.by.some((name) => given(name).length === 1);
  return of.isAll && (of.filters === 0 || isCounted);
}

interface Conditions {
  readonly conditions: readonly RawBuilder<unknown>[];
  /** Whether these are the caller's filters and nothing else. */
  readonly isFiltered: boolean;
}

function listedBy(engine: Engine, resource: Resource, call: Call, { conditions, isFiltered }: Conditions): Listed {
  const isCounted = isFiltered && (conditions.length === 0 || isCountedBy(resource, call.request.query));
  const condition = sql.join(conditions, sql` and `);
  const where = conditions.length > 0 ? sql`where ${condition}` : sql``;
  const total = () => engine.count(resource, call, { where: sql``, isCounted: true });
  return {
    where,
    async count() {
      // What somebody may see by single rights is no more than these.
      if (isCounted || !isFiltered || !resource.counted)
        return { rows: await engine.count(resource, call, { where, isCounted }), isExact: true };
      const rows = await countOfTime(resource, call, engine.registry);
      return rows === null ? countSome(resource, call, condition, total) : { rows, isExact: true };
    },
    ...(isCounted && { counted: conditions }),
  };
}

async function readPage(engine: Engine, resource: Resource, call: Call, listed: Listed): Promise<Reply> {
  const { registry } = engine;
  const { where } = listed;
  const size = pageSize(call.request.query.get('page_size'), resource.maxPageSize);
  const plan = engine.plan(resource, call, 'listed');
  const read = async (whole: Part) => {
    const start = await startOf(resource, call, listed, whole);
    const part = start ? { ...whole, offset: start.offset } : whole;
    const chosen = start ? whereFrom(start, listed) : where;
    const build = () => pageSql(resource, call, registry, { list: plan.list, where: chosen, part });
    if (!plan.runPage) return (await build().execute(call.db.read)).rows;
    const { sql: condition, parameters } = chosen.compile(call.db.read);
    const { text, values } = shapeOf(part);
    // No name of an order has a space.
    const shape = `${text} ${orderOf(resource, call)} ${condition}`;
    return plan.runPage(call.db.read, shape, [...parameters, ...values], build);
  };
  const asked = call.request.query.get('page');
  const firstRows = asked === null || asked === '1' ? await read({ limit: size, offset: 0, isFromEnd: false }) : null;
  // A first page with room left holds all there is.
  const isAll = firstRows !== null && firstRows.length < size;
  const counted = isAll ? { rows: firstRows.length, isExact: true } : await listed.count();
  const { isExact } = counted;
  const asking = { asked, size, firstRows, read };
  const { page, rows, count } =
    isExact || asked === 'last' ? await exactPage(asking, counted.rows) : await estimatedPage(asking, counted.rows);
  const context = readContext(call, registry);
  await plan.showAhead(rows, context);
  const results = await mapInTurns(rows, (raw) => plan.show(raw, context));
  return { status: 200, body: envelope(results, count, page, size), ...(!isExact && { headers: estimated }) };
}

interface PageSql {
  readonly list: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
  readonly part: Part;
}

/** Selects the page by keys first: otherwise nested objects would be built for every row that is sorted or skipped. */
function pageSql(resource: Resource, call: Call, registry: Registry, { list, where, part }: PageSql): RawBuilder<Row> {
  const pk = resource.row().col('pk');
  const ordered = inOrder(resource, call, registry, part.isFromEnd);
  const keys = sql`select ${pk} from ${ordered.from} ${where} order by ${ordered.order} ${partSql(part)}`;
  const order = orderBy(resource, call, registry);
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

/** What the text of `partSql` depends on, and its parameters. */
function shapeOf({ limit, offset, isFromEnd }: Part) {
  return {
    text: `${isCommon(limit) ? limit : 'large'} ${offset > 0} ${isFromEnd}`,
    values: [...(isCommon(limit) ? [] : [limit]), ...(offset > 0 ? [offset] : [])],
  };
}

const whereFrom = ({ condition }: Start, { counted = [] }: Listed) =>
  sql`where ${sql.join([condition, ...counted], sql` and `)}`;

/** Rows before a page are read and skipped, so pages of the second half are read from the end: the last is as fast as the first. */
function partOf(page: number, size: number, count: number): Part {
  const offset = (page - 1) * size;
  const rest = Math.max(0, count - offset - size);
  return { limit: size, ...(rest < offset ? { offset: rest, isFromEnd: true } : { offset, isFromEnd: false }) };
}

interface Asking {
  readonly asked: string | null;
  readonly size: number;
  readonly firstRows: readonly Row[] | null;
  read(part: Part): Promise<readonly Row[]>;
}

interface Page {
  readonly page: number;
  readonly rows: readonly Row[];
  readonly count: number;
}

async function exactPage({ asked, size, firstRows, read }: Asking, count: number): Promise<Page> {
  const page = pageNumber(asked, Math.max(1, Math.ceil(count / size)));
  const rows =
    firstRows ?? (count === 0 ? [] : (await read(partOf(page, size, count))).slice((page - 1) * size - count));
  return { page, rows, count };
}

/** A client that goes on as long as there is a next page must miss no row, whatever the estimate. */
export async function estimatedPage({ asked, size, firstRows, read }: Asking, estimate: number): Promise<Page> {
  const page = pageNumber(asked, Math.floor(maxOffset / size));
  const offset = (page - 1) * size;
  const rows = firstRows ?? (await read({ limit: size, offset, isFromEnd: false }));
  if (page > 1 && rows.length === 0) throw new Problem('invalid_page');
  const seen = offset + rows.length;
  return { page, rows, count: rows.length < size ? seen : Math.max(estimate, seen + 1) };
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

/** The paginated format of all lists. */
export function envelope(results: readonly unknown[], count: number, page: number, size: number): Row {
  const totalPages = Math.max(1, Math.ceil(count / size));
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
