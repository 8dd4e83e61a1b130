import { type RawBuilder, sql } from 'kysely';
import { type Complaints, Invalid } from '../../lib/problem.ts';
import { parseTimestamp } from '../../platform/clock.ts';
import { isOpenPath } from '../access/open-paths.ts';
import type { Call } from '../call.ts';
import { type JsonSchema, withoutLengths } from '../document/json-schema.ts';
import { type Field, type Fields, isShown, type RowAlias } from '../fields/field.ts';
import { isRef, keySchema, type RefField } from '../fields/ref.ts';
import { canonicalUuid, isInt32, isUuid } from '../fields/scalar.ts';
import { choicesFor } from '../fields/text.ts';
import type { Filter, FilterInput, FilterResult, Registry, Resource } from '../resource.ts';
import { readFlag } from '../write/flags.ts';
import { keyOfSlug, sluggedTarget } from '../write/slugs.ts';

export const noSuchChoice = 'Select a valid choice. That choice is not one of the available choices.';
export const notAvailable = (text: string) => `Select a valid choice. ${text} is not one of the available choices.`;

/**
 * All filters by query parameter. An allow-list: callers cannot filter by other columns or expressions (SQL injection).
 */
export function filterTable(fields: Fields, declared: Readonly<Record<string, Filter>> = {}): Record<string, Filter> {
  const filters: Record<string, Filter> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (field.filter) filters[name] = fieldFilter(name, field);
  }
  return { ...filters, ...declared };
}

/** The exact filter of a field. */
export function fieldFilter(column: string, field: Field): Filter {
  if (isRef(field)) return field.kind === 'refs' ? joinFilter(field) : refFilter(column, field);
  return {
    schema: filterSchema(field),
    condition({ texts, row }) {
      const parsed = parseFilterText(field, texts.at(-1) ?? '');
      if (parsed === null || 'complaint' in parsed) return parsed;
      // No row can have a number that its column cannot hold.
      if (field.kind === 'integer' && !isInt32(parsed.value)) return sql`1 = 0`;
      return sql`${row.col(column)} = ${parsed.value}`;
    },
  };
}

/** A value that a column cannot hold is not an error: it matches no row. */
function filterSchema({ schema }: Field): JsonSchema {
  const { minimum, maximum, ...rest } = withoutLengths(schema);
  return rest;
}

/** An exact filter on the key under another name (`policy_uuid`). */
export const keyFilter: Filter = {
  schema: { type: 'string', format: 'uuid' },
  condition({ texts, row }) {
    const text = texts.at(-1) ?? '';
    return isUuid(text) ? sql`${row.col('pk')} = ${canonicalUuid(text)}` : { complaint: 'Enter a valid UUID.' };
  },
};

/** An exact text filter on a column of a referenced object: `group.name`. Never fails. */
export function relatedFilter(path: string): Filter {
  return {
    schema: { type: 'string' },
    condition: ({ texts, row, call, registry, resource }) =>
      isOpenPath(resource, path, call, registry)
        ? followPath(resource, path, row, registry, (column) => sql`${column} = ${texts.at(-1) ?? ''}`)
        : sql`1 = 0`,
  };
}

function parseFilterText(field: Field, text: string): { value: unknown } | { complaint: string } | null {
  switch (field.kind) {
    case 'boolean': {
      const value = readFlag(text);
      return value === null ? null : { value };
    }
    case 'integer':
    case 'real': {
      const number = Number(text);
      return Number.isFinite(number) && text.trim() !== '' ? { value: number } : { complaint: 'Enter a number.' };
    }
    case 'uuid':
      return isUuid(text) ? { value: canonicalUuid(text) } : { complaint: 'Enter a valid UUID.' };
    case 'time': {
      const moment = parseTimestamp(text.replace(' ', '+')) ?? parseTimestamp(text);
      return moment ? { value: moment } : { complaint: 'Enter a valid date/time.' };
    }
    case 'choice':
      return field.schema.enum?.includes(text)
        ? { value: text }
        : { complaint: `${notAvailable(text)}${choicesFor(text, (field.schema.enum ?? []).map(String))}` };
    default:
      return { value: text };
  }
}

function refFilter(column: string, field: RefField): Filter {
  return {
    schema: keySchema(field.keyType),
    async condition(input) {
      const key = await keyOfText(field, input.texts.at(-1) ?? '', input);
      if (typeof key === 'object') return key;
      if (!(await exists(field, key, input))) return { complaint: noSuchChoice };
      return sql`${input.row.col(column)} = ${key}`;
    },
  };
}

function joinFilter(field: RefField): Filter {
  return {
    schema: { type: 'array', items: keySchema(field.keyType) },
    many: true,
    async condition(input) {
      const keys: (string | number)[] = [];
      for (const text of input.texts) {
        const key = await keyOfText(field, text, input);
        if (typeof key === 'object') return key;
        if (!(await exists(field, key, input))) return { complaint: notAvailable(text) };
        keys.push(key);
      }
      if (field.storage.in !== 'join') return null;
      const { table, own, other } = field.storage.join;
      return sql`${input.row.col('pk')} in (select ${sql.ref(own)} from ${sql.table(table)} where ${sql.ref(other)} in (${sql.join(keys)}))`;
    },
  };
}

/** Resolves a filter's value to a key: it is a key or a slug. */
async function keyOfText(
  field: RefField,
  text: string,
  { call, registry }: FilterInput,
): Promise<string | number | { complaint: string }> {
  const target = isUuid(text) ? null : sluggedTarget(field, registry);
  return (target && (await keyOfSlug(target, text, call.db.read))) ?? parseKeyText(field, text);
}

function parseKeyText(field: RefField, text: string): string | number | { complaint: string } {
  if (field.keyType === 'int') return /^\d{1,9}$/.test(text) ? Number(text) : { complaint: noSuchChoice };
  return isUuid(text) ? canonicalUuid(text) : { complaint: `“${text}” is not a valid UUID.` };
}

async function exists(field: RefField, key: string | number, { call, registry }: FilterInput): Promise<boolean> {
  const { table } = registry.require(field.model);
  const { rows } = await sql`select 1 from ${sql.table(table)} where pk = ${key}`.execute(call.db.read);
  return rows.length > 0;
}

/** All filter conditions of the query string; throws all complaints at once. */
export async function filterConditions(
  resource: Resource,
  call: Call,
  registry: Registry,
): Promise<RawBuilder<unknown>[]> {
  const { query } = call.request;
  const conditions: RawBuilder<unknown>[] = [];
  const complaints: Complaints = {};
  if (query.size === 0) return conditions;
  const row = resource.row();
  const given = new Set(query.keys());
  for (const [name, filter] of Object.entries(resource.filterTable)) {
    if (!given.has(name)) continue;
    const texts = query
      .getAll(name)
      .map((text) => text.trim())
      .filter((text) => text !== '');
    if (texts.length === 0) continue;
    const result: FilterResult = await filter.condition({
      texts,
      row,
      dialect: call.db.dialect,
      call,
      registry,
      resource,
    });
    if (result === null) continue;
    if ('complaint' in result) complaints[name] = [result.complaint];
    else conditions.push(result);
  }
  if (Object.keys(complaints).length > 0) throw new Invalid(complaints);
  return conditions;
}

type OnColumn = (column: RawBuilder<unknown>, field: Field | undefined) => RawBuilder<unknown>;

/**
 * A condition on a column of the row, or of an object that it refers to. Few such objects should meet it: they are
 * looked for first.
 */
const followPath = conditionOnPath(
  ({ column, key, from }, isMet) => sql`${column} in (select ${key} from ${from} where ${isMet})`,
);

/**
 * The same for a condition that no index serves: it is tried on the object that each row refers to, not on all of them.
 */
export const lookUpPath = conditionOnPath(
  ({ column, key, from }, isMet) => sql`exists (select 1 from ${from} where ${key} = ${column} and ${isMet})`,
);

type Reference = Readonly<Record<'column' | 'key' | 'from', RawBuilder<unknown>>>;

function conditionOnPath(onReferred: (reference: Reference, isMet: RawBuilder<unknown>) => RawBuilder<unknown>) {
  return (resource: Resource, path: string, row: RowAlias, registry: Registry, condition: OnColumn) => {
    const { column, field, referred } = stepOf(resource, path, row, registry);
    if (!referred) return condition(column, field);
    const { key, from } = referred;
    return onReferred({ column, key, from }, condition(referred.column, referred.field));
  };
}

/** `name`, or `group.name` with what it refers to. */
function stepOf(resource: Resource, path: string, row: RowAlias, registry: Registry) {
  const [first = '', second] = path.split('.');
  const field = resource.allFields[first];
  if (second === undefined) return { column: row.col(first === resource.keyName ? 'pk' : first), field };
  if (!field || !isRef(field)) throw new Error(`${resource.model}: ${path} does not follow a reference`);
  const target = registry.require(field.model);
  const other = target.row(9);
  const column = other.col(second === target.keyName ? 'pk' : second);
  return {
    column: row.col(first),
    field,
    referred: { key: other.col('pk'), from: target.from(9), column, field: target.allFields[second] },
  };
}

/** The order of a list: the caller's choice, each member once, else the default. */
export function orderOf(resource: Resource, { request: { query } }: Call): readonly string[] {
  const requested = new Map<string, string>();
  for (const text of (query.get('ordering') ?? '').split(',')) {
    const name = text.trim();
    const path = name.replace(/^-/, '');
    if (!requested.has(path) && isOrderable(resource, path)) requested.set(path, name);
  }
  return requested.size > 0 ? [...requested.values()] : resource.order;
}

/** The order of a list; the key breaks ties. */
export function orderBy(resource: Resource, call: Call, registry: Registry): RawBuilder<unknown> {
  const row = resource.row();
  const names = orderOf(resource, call);
  const terms = names.map((name) => {
    const path = name.replace(/^-/, '');
    const isNullable = resource.allFields[path]?.nullable === true;
    return sql`${orderExpression(resource, path, row, registry)} ${directionOf(name.startsWith('-'), isNullable)}`;
  });
  if (!names.some((name) => name.replace(/^-/, '') === 'pk')) terms.push(row.col('pk'));
  return sql.join(terms);
}

function directionOf(isDescending: boolean, isNullable: boolean): RawBuilder<unknown> {
  if (isDescending) return isNullable ? sql`desc nulls first` : sql`desc`;
  return isNullable ? sql`asc nulls last` : sql`asc`;
}

function isOrderable(resource: Resource, name: string): boolean {
  const field = resource.allFields[name];
  return name === 'pk' || name === resource.keyName || (field?.orderable === true && isShown(field));
}

function orderExpression(resource: Resource, path: string, row: RowAlias, registry: Registry): RawBuilder<unknown> {
  const [first = '', second] = path.split('.');
  if (second === undefined) return row.col(first === resource.keyName ? 'pk' : first);
  const field = resource.allFields[first];
  if (!field || !isRef(field)) throw new Error(`${resource.model}: ${path} does not follow a reference`);
  const target = registry.require(field.model);
  const other = target.row(8);
  return sql`(select ${other.col(second)} from ${target.from(8)} where ${other.col('pk')} = ${row.col(first)})`;
}
