import { type RawBuilder, sql } from 'kysely';
import { chunksOf } from '../lib/chunks.ts';
import { isJsonObject } from '../lib/json.ts';
import { type Complaints, Invalid } from '../lib/problem.ts';
import type { Query } from '../platform/db/database.ts';
import type { Call } from './call.ts';
import { defaultOf, type Field, type Fields, isRequired, isWritable, type Row } from './fields/field.ts';
import { isRef, missingObject } from './fields/ref.ts';
import { typeName } from './fields/well-formed.ts';
import type { Registry, Resource } from './resource.ts';
import { withKeys } from './slugs.ts';

export interface ParsedBody {
  /** The parsed members of the request. */
  readonly values: Row;
  readonly given: ReadonlySet<string>;
  readonly complaints: Complaints;
}

/** Whether members may be absent, and what that means. */
export type BodyMode = 'create' | 'replace' | 'patch';

export function parseBody(fields: Fields, body: unknown, mode: BodyMode, call: Call): ParsedBody {
  const given = bodyObject(body);
  const values: Row = {};
  const named = new Set<string>();
  const complaints: Complaints = {};
  for (const [name, field] of Object.entries(fields)) {
    if (!isWritable(field)) continue;
    if (!Object.hasOwn(given, name)) {
      if (mode !== 'patch' && isRequired(field)) complaints[name] = ['This field is required.'];
      else if (mode === 'create' || (mode === 'replace' && field.resetOnPut)) values[name] = defaultOf(field, call);
      continue;
    }
    named.add(name);
    parseMember(name, field, given[name], values, complaints);
  }
  return { values, given: named, complaints };
}

function parseMember(name: string, field: Field, value: unknown, values: Row, complaints: Complaints): void {
  if (value === null) {
    if (field.nullable) values[name] = null;
    else complaints[name] = ['This field may not be null.'];
    return;
  }
  const parsed = field.parse(value);
  if ('value' in parsed) values[name] = parsed.value;
  else complaints[name] = parsed.complaint;
}

function bodyObject(body: unknown): Record<string, unknown> {
  if (body === null) throw Invalid.whole('No data provided');
  if (isJsonObject(body)) return body;
  throw Invalid.whole(`Invalid data. Expected a dictionary, but got ${typeName(body)}.`);
}

/** Parses a body on its own, for actions; throws all complaints. */
export async function parseAlone(
  fields: Fields,
  call: Call,
  registry: Registry,
): Promise<Pick<ParsedBody, 'values' | 'given'>> {
  const body = await withKeys(fields, call.body(), call.db.read, registry);
  const parsed = parseBody(fields, body, call.request.method === 'PATCH' ? 'patch' : 'create', call);
  const stored = await probe(fields, parsed, () => null, null, call.db.read, registry);
  const complaints = { ...parsed.complaints, ...stored };
  if (Object.keys(complaints).length > 0) throw new Invalid(complaints);
  return parsed;
}

/** Complaints that need the database: missing references, duplicate values. */
export function storedComplaints(
  resource: Resource,
  parsed: Pick<ParsedBody, 'values' | 'given'>,
  current: string | number | null,
  tx: Query,
  registry: Registry,
): Promise<Complaints> {
  const { family, table, allFields } = resource;
  const tableOf = (name: string) => (family && Object.hasOwn(family.fields, name) ? family.table : table);
  return probe(allFields, parsed, tableOf, current, tx, registry);
}

interface Probed {
  readonly name: string;
  readonly pk: string;
}

/** Statements have a limited number of parameters: 32,766 in SQLite. */
const maxKeys = 2_000;

/** Checks all references and unique values of a body in one statement, unless there are thousands. */
async function probe(
  fields: Fields,
  { values, given }: Pick<ParsedBody, 'values' | 'given'>,
  tableOf: (name: string) => string | null,
  current: string | number | null,
  db: Query,
  registry: Registry,
): Promise<Complaints> {
  const names = [...given].filter((name) => values[name] !== undefined && values[name] !== null);
  const references = names.flatMap((name) => {
    const field = fields[name];
    // A kind's own table has no rows of other kinds.
    return field && isRef(field) ? [{ name, table: registry.require(field.model).table }] : [];
  });
  const uniques = names.flatMap((name) => {
    const [unique, table] = [fields[name]?.unique, tableOf(name)];
    return unique && table && values[name] !== '' ? [{ name, unique, table }] : [];
  });
  const select = (name: string, table: string, where: RawBuilder<unknown>) =>
    sql`select ${sql.lit(name)} as name, cast(pk as text) as pk from ${sql.table(table)} where ${where}`;
  const probes = [
    ...references.flatMap(({ name, table }) =>
      chunksOf(keysOf(values[name]), maxKeys).map((some) => ({
        keys: some.length,
        query: select(name, table, sql`pk in (${sql.join(some)})`),
      })),
    ),
    ...uniques.map(({ name, table }) => ({
      keys: 1,
      query: select(taken(name), table, isSame(fields[name]?.caseless, name, values[name])),
    })),
  ];
  if (probes.length === 0) return {};

  const rows: Probed[] = [];
  const isLarge = probes.some(({ keys }) => keys === maxKeys);
  for (const some of isLarge ? probes.map((one) => [one]) : [probes]) {
    const queries = some.map(({ query }) => query);
    rows.push(...(await sql<Probed>`${sql.join(queries, sql` union all `)}`.execute(db)).rows);
  }
  const found = Map.groupBy(rows, ({ name }) => name);
  const complaints: Complaints = {};
  for (const { name } of references) {
    const present = new Set(found.get(name)?.map(({ pk }) => pk));
    const missing = keysOf(values[name]).find((key) => !present.has(String(key)));
    if (missing !== undefined) complaints[name] = [missingObject(missing)];
  }
  for (const { name, unique } of uniques) {
    const others = found.get(taken(name))?.filter(({ pk }) => pk !== String(current)) ?? [];
    if (others.length > 0) complaints[name] = [unique];
  }
  return complaints;
}

const isSame = (caseless: boolean | undefined, name: string, value: unknown): RawBuilder<unknown> =>
  caseless ? sql`lower(${sql.ref(name)}) = lower(${value})` : sql`${sql.ref(name)} = ${value}`;

/** A unique reference needs two probes: whether the object exists, and whether another row refers to it. */
const taken = (name: string) => `${name} taken`;

const keysOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
