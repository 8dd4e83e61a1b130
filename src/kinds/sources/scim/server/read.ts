import { sql } from 'kysely';
import { findSpellings } from '../../../../core/directory/name-keys.ts';
import { asText, isJsonObject } from '../../../../lib/json.ts';
import { listMessageId } from '../../../../lib/scim-urns.ts';
import type { Query } from '../../../../platform/db/database.ts';
import { readList } from '../../../../platform/db/read-list.ts';
import { isStorable } from '../../../../resource/fields/well-formed.ts';
import { countConditions, parseFilter, parsePath, type ScimFilter } from '../protocol/filter.ts';
import { member, type ScimObject } from '../protocol/matches.ts';
import { ScimError } from '../protocol/scim-error.ts';
import { comparedTexts, filterSql, sortSql } from './filter-sql.ts';
import { type Projection, project, readProjection, shows } from './project.ts';
import { findRecord, isVersion, loadMembers, membersOf, showRecord, versionOf } from './records.ts';
import type { RecordRow, ResourceType } from './resource-type.ts';
import type { ScimRequest, ScimResponse } from './scim-request.ts';
import { recordScope, sortLeaf } from './scope.ts';

/** The query of a list (RFC 7644, section 3.4.2). */
interface ListRequest {
  readonly filter: string | null;
  readonly sortBy: string | null;
  readonly sortOrder: string | null;
  readonly startIndex: number;
  readonly count: number;
  readonly attributes: readonly string[];
  readonly excludedAttributes: readonly string[];
}

const usualCount = 100;
export const maxResults = 500;

export async function readOne(exchange: ScimRequest, type: ResourceType, id: string): Promise<ScimResponse> {
  const { read } = exchange.call.db;
  const row = await findRecord(exchange, type, id, read);
  const resource = showRecord(exchange, type, row, await membersOf(exchange, type, row, read));
  const headers = { etag: versionOf(resource) };
  const { ifNoneMatch } = exchange;
  if (ifNoneMatch !== undefined && isVersion(ifNoneMatch, resource)) return { status: 304, headers };
  return { status: 200, body: project(resource, projectionOf(exchange.query, type)), headers };
}

/** The attributes of a resource in the response. */
export const projectionOf = (query: URLSearchParams, { extensions }: ResourceType): Projection =>
  readProjection(names(query.get('attributes')), names(query.get('excludedAttributes')), extensions);

const names = (text: string | null): string[] => (text === null ? [] : text.split(','));

export function listByQuery(exchange: ScimRequest, types: readonly ResourceType[]): Promise<ScimResponse> {
  const { query } = exchange;
  return list(exchange, types, {
    filter: query.get('filter'),
    sortBy: query.get('sortBy'),
    sortOrder: query.get('sortOrder'),
    startIndex: wholeNumber('startIndex', query.get('startIndex'), 1),
    count: wholeNumber('count', query.get('count'), usualCount),
    attributes: names(query.get('attributes')),
    excludedAttributes: names(query.get('excludedAttributes')),
  });
}

/** RFC 7644, section 3.4.3: the same in a body. */
export function listByBody(exchange: ScimRequest, types: readonly ResourceType[]): Promise<ScimResponse> {
  const body = exchange.body();
  if (!isJsonObject(body)) throw new ScimError(400, 'The body must be an object.', 'invalidSyntax');
  const text = (name: string) => {
    const value = member(body, name) ?? null;
    if (value !== null && typeof value !== 'string')
      throw new ScimError(400, `${name} must be a text.`, 'invalidValue');
    return value;
  };
  const texts = (name: string) => {
    const value = member(body, name) ?? [];
    const all: unknown[] = Array.isArray(value) ? value : [value];
    return all.flatMap((one) => {
      if (typeof one !== 'string') throw new ScimError(400, `${name} must be texts.`, 'invalidValue');
      return names(one);
    });
  };
  return list(exchange, types, {
    filter: text('filter'),
    sortBy: text('sortBy'),
    sortOrder: text('sortOrder'),
    startIndex: wholeNumber('startIndex', member(body, 'startIndex'), 1),
    count: wholeNumber('count', member(body, 'count'), usualCount),
    attributes: texts('attributes'),
    excludedAttributes: texts('excludedAttributes'),
  });
}

export function wholeNumber(name: string, value: unknown, otherwise: number): number {
  if (value === null || value === undefined || value === '') return otherwise;
  const number = Number(asText(value));
  if (!Number.isSafeInteger(number)) throw new ScimError(400, `${name} must be a whole number.`, 'invalidValue');
  return number;
}

async function list(
  exchange: ScimRequest,
  types: readonly ResourceType[],
  request: ListRequest,
): Promise<ScimResponse> {
  const start = Math.max(request.startIndex, 1);
  const count = Math.min(Math.max(request.count, 0), maxResults);
  const resources: ScimObject[] = [];
  let total = 0;
  for (const type of types) {
    const page = await pageOf(exchange, type, request, {
      offset: Math.max(start - 1 - total, 0),
      limit: count - resources.length,
    });
    total += page.total;
    resources.push(...page.resources);
  }
  return {
    status: 200,
    body: {
      schemas: [listMessageId],
      totalResults: total,
      itemsPerPage: resources.length,
      startIndex: start,
      Resources: resources,
    },
  };
}

async function pageOf(
  exchange: ScimRequest,
  type: ResourceType,
  { filter, sortBy, sortOrder, attributes, excludedAttributes }: ListRequest,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly total: number; readonly resources: ScimObject[] }> {
  const { db } = exchange.call;
  const parsed = filter ? parsedFilter(filter) : null;
  const spellings = await findSpellings(db.read, parsed ? comparedTexts(parsed) : []);
  const condition = parsed && filterSql(parsed, recordScope(type, db.dialect), { dialect: db.dialect, spellings });
  if (parsed) await checkWork(exchange, type, countConditions(parsed));
  const where = sql`t.source = ${exchange.source.pk}${condition ? sql` and ${condition}` : sql``}`;
  const projection = readProjection(attributes, excludedAttributes, type.extensions);
  const readPage = async (read: Query) => {
    const counted = await sql<{ total: number }>`select count(*) as total from ${type.from} where ${where}`.execute(
      read,
    );
    const total = Number(counted.rows[0]?.total ?? 0);
    if (limit === 0 || offset >= total) return { total, resources: [] };
    const order = sortBy ? sql`${orderOf(sortBy, sortOrder, type, exchange)}, t.pk` : sql`t.pk`;
    const { rows } = await sql<RecordRow>`select ${type.columns} from ${type.from} where ${where}
      order by ${order} limit ${limit} offset ${offset}`.execute(read);
    // Large groups are what clients leave `members` out for.
    const members =
      type.hasMembers && shows(projection, 'members') ? await loadMembers(idsOf(rows), exchange.source, read) : null;
    const resources = rows.map((row) =>
      project(showRecord(exchange, type, row, members?.get(row.id) ?? null), projection),
    );
    return { total, resources };
  };
  return readList(db, readPage);
}

/** Filters with so few conditions are always answered: clients look for one value in one or two attributes. */
const fewConditions = 5;
/** Characters of documents, once for each condition. */
const maxWork = 20_000_000;

/** Refuses filters with many conditions on many resources: each condition is tried on every value of every document. */
async function checkWork({ source, call }: ScimRequest, { from }: ResourceType, conditions: number): Promise<void> {
  if (conditions <= fewConditions) return;
  const { rows } = await sql<{
    length: number | string | null;
  }>`select sum(length(cast(t.attributes as text))) as length
    from ${from} where t.source = ${source.pk}`.execute(call.db.read);
  if (Number(rows[0]?.length ?? 0) * conditions <= maxWork) return;
  throw new ScimError(
    400,
    `The filter has ${conditions} conditions, which are too many for this number of resources. Ask with at most ${fewConditions}.`,
    'tooMany',
  );
}

const idsOf = (rows: readonly RecordRow[]) => rows.map(({ id }) => id);

function parsedFilter(text: string): ScimFilter {
  if (!isStorable(text)) throw new ScimError(400, 'The filter holds null characters.', 'invalidFilter');
  return parseFilter(text);
}

/** Resources without a value come last, and first in the other direction. */
function orderOf(sortBy: string, sortOrder: string | null, type: ResourceType, { call: { db } }: ScimRequest) {
  if (!isStorable(sortBy)) throw new ScimError(400, 'sortBy holds null characters.', 'invalidPath');
  const value = sortSql(sortLeaf(type, parsePath(sortBy), db.dialect), db.dialect);
  const isDescending = /^desc/i.test(sortOrder ?? '');
  return isDescending ? sql`${value} is null desc, ${value} desc` : sql`${value} is null, ${value}`;
}
