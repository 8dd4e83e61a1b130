import { type RawBuilder, sql } from 'kysely';
import { lowerAscii } from '../../../../lib/name-key.ts';
import { parseTimestamp } from '../../../../platform/clock.ts';
import type { Dialect } from '../../../../platform/db/dialect.ts';
import { canonicalUuid, isUuid } from '../../../../resource/fields/scalar.ts';
import type { AttributePath, Comparison, FilterValue, ScimFilter } from '../protocol/filter.ts';
import { ScimError } from '../protocol/scim-error.ts';

type Condition = RawBuilder<boolean>;

/** A value that a filter compares, as the database has it. */
export type Leaf =
  | { readonly is: 'text' | 'user name' | 'exact text' | 'uuid' | 'flag' | 'time'; readonly sql: RawBuilder<unknown> }
  | { readonly is: 'json'; readonly column: RawBuilder<unknown>; readonly path: readonly string[] };

/** What filters are made into conditions with. */
export interface FilterContext {
  readonly dialect: Dialect;
  /** How users spell the names and addresses that a filter compares, where case alone does not make them equal. */
  readonly spellings: ReadonlyMap<string, readonly string[]>;
}

/** Where values of an attribute are: the condition holds when it does for one of them. */
export type Place = (holds: (leaf: Leaf) => Condition) => Condition;

/** The attributes that a filter can use. */
export interface Scope {
  places(path: AttributePath): readonly Place[];
  /** The elements of a list, each with the scope of its own members. */
  someElement(path: AttributePath, holds: (element: Scope) => Condition): Condition;
}

export const at =
  (leaf: Leaf): Place =>
  (holds) =>
    holds(leaf);

/** A filter as a condition. What is missing makes it null, which negations count as false. */
export function filterSql(filter: ScimFilter, scope: Scope, context: FilterContext): Condition {
  switch (filter.is) {
    case 'and':
      return sql`(${filterSql(filter.left, scope, context)} and ${filterSql(filter.right, scope, context)})`;
    case 'or':
      return sql`(${filterSql(filter.left, scope, context)} or ${filterSql(filter.right, scope, context)})`;
    case 'not':
      return not(filterSql(filter.filter, scope, context));
    case 'element':
      return scope.someElement(filter.path, (element) => filterSql(filter.filter, element, context));
    case 'present':
      return anyOf(scope.places(filter.path), (leaf) => isPresent(leaf, context.dialect));
    case 'compare':
      return compareSql(scope.places(filter.path), filter.by, filter.value, context);
  }
}

const never: Condition = sql`(1 = 0)`;
const not = (condition: Condition): Condition => sql`(not ((${condition}) is true))`;

function anyOf(places: readonly Place[], holds: (leaf: Leaf) => Condition): Condition {
  if (places.length === 0) return never;
  return sql`(${sql.join(
    places.map((place) => place(holds)),
    sql` or `,
  )})`;
}

function compareSql(places: readonly Place[], by: Comparison, value: FilterValue, context: FilterContext): Condition {
  if (by === 'ne') return not(compareSql(places, 'eq', value, context));
  if (value !== null) return anyOf(places, (leaf) => compareLeaf(leaf, by, value, context));
  if (by !== 'eq') throw refused('null can only be equal or not equal');
  return not(anyOf(places, (leaf) => isPresent(leaf, context.dialect)));
}

function isPresent(leaf: Leaf, dialect: Dialect): Condition {
  if (leaf.is !== 'json') return /text|name/.test(leaf.is) ? sql`${leaf.sql} <> ''` : sql`${leaf.sql} is not null`;
  return sql`${dialect.jsonText(leaf.column, leaf.path)} not in ('', '[]', '{}')`;
}

function compareLeaf(
  leaf: Leaf,
  by: Comparison,
  value: string | number | boolean,
  { dialect, spellings }: FilterContext,
): Condition {
  switch (leaf.is) {
    case 'json':
      return compareJson(leaf, by, value, dialect);
    case 'flag':
      if (by !== 'eq' || !/^(true|false)$/i.test(String(value))) throw refused('true and false can only be equal');
      return sql`${leaf.sql} = ${String(value).toLowerCase() === 'true'}`;
    case 'time':
      return compareTime(leaf.sql, by, value);
    case 'uuid':
      if (by !== 'eq') return compareText(dialect.toText(leaf.sql), by, String(value), 'exact');
      return isUuid(value) ? sql`${leaf.sql} = ${canonicalUuid(value)}` : never;
    case 'user name': {
      const others = by === 'eq' ? (spellings.get(String(value)) ?? []) : [];
      const same = compareText(leaf.sql, by, String(value), 'column');
      return others.length === 0 ? same : sql`(${same} or ${leaf.sql} in (${sql.join(others)}))`;
    }
    case 'text':
    case 'exact text':
      return compareText(leaf.sql, by, String(value), leaf.is === 'text' ? 'column' : 'exact');
  }
}

function compareJson(
  { column, path }: Extract<Leaf, { is: 'json' }>,
  by: Comparison,
  value: string | number | boolean,
  dialect: Dialect,
): Condition {
  if (typeof value === 'string') return compareText(dialect.jsonText(column, path), by, value, 'document');
  if (by === 'eq') return dialect.jsonEquals(column, path, value);
  if (typeof value === 'boolean') throw refused('true and false can only be equal');
  return compareOrder(dialect.jsonNumber(column, path), by, sql`${value}`);
}

function compareTime(column: RawBuilder<unknown>, by: Comparison, value: string | number | boolean): Condition {
  const moment = parseTimestamp(String(value));
  if (moment === null) throw refused('a time is written as 2026-01-02T03:04:05Z');
  return by === 'eq' ? sql`${column} = ${moment}` : compareOrder(column, by, sql`${moment}`);
}

/**
 * Texts are compared without case unless they are exact. Columns have none but the case of ASCII letters, in either
 * database.
 */
function compareText(
  text: RawBuilder<unknown>,
  by: Comparison,
  value: string,
  how: 'exact' | 'column' | 'document',
): Condition {
  const given = sql`cast(${how === 'column' ? lowerAscii(value) : value} as text)`;
  const one = how === 'exact' ? text : sql`lower(${text})`;
  const other = how === 'document' ? sql`lower(${given})` : given;
  switch (by) {
    case 'eq':
      return sql`${one} = ${other}`;
    case 'co':
      return value === '' ? sql`${one} is not null` : sql`replace(${one}, ${other}, '') <> ${one}`;
    case 'sw':
      return sql`substr(${one}, 1, length(${other})) = ${other}`;
    case 'ew':
      return sql`length(${one}) >= length(${other}) and substr(${one}, length(${one}) - length(${other}) + 1) = ${other}`;
    default:
      return compareOrder(one, by, other);
  }
}

function compareOrder(one: RawBuilder<unknown>, by: Comparison, other: RawBuilder<unknown>): Condition {
  switch (by) {
    case 'gt':
      return sql`${one} > ${other}`;
    case 'ge':
      return sql`${one} >= ${other}`;
    case 'lt':
      return sql`${one} < ${other}`;
    case 'le':
      return sql`${one} <= ${other}`;
    default:
      throw refused(`"${by}" cannot be used with this attribute`);
  }
}

const refused = (reason: string) => new ScimError(400, `The filter cannot be used: ${reason}.`, 'invalidFilter');

/** What an attribute is sorted by. */
export function sortSql(leaf: Leaf, dialect: Dialect): RawBuilder<unknown> {
  if (leaf.is === 'json') return sql`lower(${dialect.jsonText(leaf.column, leaf.path)})`;
  return leaf.is === 'text' || leaf.is === 'user name' ? sql`lower(${leaf.sql})` : leaf.sql;
}

/** The texts that a filter compares something with. */
export function comparedTexts(filter: ScimFilter): string[] {
  switch (filter.is) {
    case 'and':
    case 'or':
      return [...comparedTexts(filter.left), ...comparedTexts(filter.right)];
    case 'not':
    case 'element':
      return comparedTexts(filter.filter);
    case 'compare':
      return typeof filter.value === 'string' ? [filter.value] : [];
    case 'present':
      return [];
  }
}
