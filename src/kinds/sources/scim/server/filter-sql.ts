import { type RawBuilder, sql } from 'kysely';
import type { AttributePath, Comparison, FilterValue, ScimFilter } from '../../../../lib/scim/filter.ts';
import { ScimError } from '../../../../lib/scim/scim-error.ts';
import { parseTimestamp } from '../../../../platform/clock.ts';
import type { Dialect } from '../../../../platform/db/dialect.ts';
import { canonicalUuid, isUuid } from '../../../../resource/fields/scalar.ts';

type Condition = RawBuilder<boolean>;

/** A value that a filter compares, as the database has it. */
export type Leaf =
  | { readonly is: 'text' | 'exact text' | 'uuid' | 'flag' | 'time'; readonly sql: RawBuilder<unknown> }
  | { readonly is: 'json'; readonly column: RawBuilder<unknown>; readonly path: readonly string[] };

/** Where values of an attribute are: the condition holds when it does for one of them. */
export type Place = (holds: (leaf: Leaf) => Condition) => Condition;

/** What a filter can ask of. */
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
export function filterSql(filter: ScimFilter, scope: Scope, dialect: Dialect): Condition {
  switch (filter.is) {
    case 'and':
      return sql`(${filterSql(filter.left, scope, dialect)} and ${filterSql(filter.right, scope, dialect)})`;
    case 'or':
      return sql`(${filterSql(filter.left, scope, dialect)} or ${filterSql(filter.right, scope, dialect)})`;
    case 'not':
      return not(filterSql(filter.filter, scope, dialect));
    case 'element':
      return scope.someElement(filter.path, (element) => filterSql(filter.filter, element, dialect));
    case 'present':
      return anyOf(scope.places(filter.path), (leaf) => isPresent(leaf, dialect));
    case 'compare':
      return compareSql(scope.places(filter.path), filter.by, filter.value, dialect);
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

function compareSql(places: readonly Place[], by: Comparison, value: FilterValue, dialect: Dialect): Condition {
  if (by === 'ne') return not(compareSql(places, 'eq', value, dialect));
  if (value !== null) return anyOf(places, (leaf) => compareLeaf(leaf, by, value, dialect));
  if (by !== 'eq') throw refused('null can only be equal or not equal');
  return not(anyOf(places, (leaf) => isPresent(leaf, dialect)));
}

function isPresent(leaf: Leaf, dialect: Dialect): Condition {
  if (leaf.is !== 'json') return leaf.is.endsWith('text') ? sql`${leaf.sql} <> ''` : sql`${leaf.sql} is not null`;
  return sql`${dialect.jsonText(leaf.column, leaf.path)} not in ('', '[]', '{}')`;
}

function compareLeaf(leaf: Leaf, by: Comparison, value: string | number | boolean, dialect: Dialect): Condition {
  switch (leaf.is) {
    case 'json':
      return compareJson(leaf, by, value, dialect);
    case 'flag':
      if (by !== 'eq' || !/^(true|false)$/i.test(String(value))) throw refused('true and false can only be equal');
      return sql`${leaf.sql} = ${String(value).toLowerCase() === 'true'}`;
    case 'time':
      return compareTime(leaf.sql, by, value);
    case 'uuid':
      if (by !== 'eq') return compareText(dialect.toText(leaf.sql), by, String(value), true);
      return isUuid(value) ? sql`${leaf.sql} = ${canonicalUuid(value)}` : never;
    case 'text':
    case 'exact text':
      return compareText(leaf.sql, by, String(value), leaf.is === 'exact text');
  }
}

function compareJson(
  { column, path }: Extract<Leaf, { is: 'json' }>,
  by: Comparison,
  value: string | number | boolean,
  dialect: Dialect,
): Condition {
  if (typeof value === 'string') return compareText(dialect.jsonText(column, path), by, value, false);
  if (by === 'eq') return dialect.jsonEquals(column, path, value);
  if (typeof value === 'boolean') throw refused('true and false can only be equal');
  return compareOrder(dialect.jsonNumber(column, path), by, sql`${value}`);
}

function compareTime(column: RawBuilder<unknown>, by: Comparison, value: string | number | boolean): Condition {
  const moment = parseTimestamp(String(value));
  if (moment === null) throw refused('a time is written as 2026-01-02T03:04:05Z');
  return by === 'eq' ? sql`${column} = ${moment}` : compareOrder(column, by, sql`${moment}`);
}

/** Texts are compared without case unless they are exact. */
function compareText(text: RawBuilder<unknown>, by: Comparison, value: string, isExact: boolean): Condition {
  const given = sql`cast(${value} as text)`;
  const [one, other] = isExact ? [text, given] : [sql`lower(${text})`, sql`lower(${given})`];
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
  return leaf.is === 'text' ? sql`lower(${leaf.sql})` : leaf.sql;
}
