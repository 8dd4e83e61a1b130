import { sql } from 'kysely';
import { isJsonObject } from '../../lib/json.ts';
import { type Complaints, Invalid } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Dialect } from '../../platform/db/dialect.ts';
import type { Actor } from '../access/actor.ts';
import { missingFor } from '../access/missing-object.ts';
import type { Call } from '../call.ts';
import { defaultOf, type Field, type Fields, isRequired, isWritable, type Row } from '../fields/field.ts';
import { isRef } from '../fields/ref.ts';
import { typeName } from '../fields/well-formed.ts';
import type { Registry, Resource } from '../resource.ts';
import { withKeys } from './slugs.ts';

export interface ParsedBody {
  /** The parsed members of the request. */
  readonly values: Row;
  readonly given: ReadonlySet<string>;
  readonly complaints: Complaints;
}

/** Whether members may be absent, and what that means. */
export type BodyMode = 'create' | 'replace' | 'patch';

/** Reads writable members only, whatever else a body contains (mass assignment). */
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
  const stored = await probe(fields, parsed, () => null, null, {
    db: call.db.read,
    dialect: call.db.dialect,
    registry,
    actor: call.actor,
  });
  const complaints = { ...parsed.complaints, ...stored };
  if (Object.keys(complaints).length > 0) throw new Invalid(complaints);
  return parsed;
}

/** Complaints that need the database: missing references, duplicate values. */
export function storedComplaints(
  resource: Resource,
  parsed: Pick<ParsedBody, 'values' | 'given'>,
  current: string | number | null,
  needs: ProbeNeeds,
): Promise<Complaints> {
  const { family, table, allFields } = resource;
  const tableOf = (name: string) => (family && Object.hasOwn(family.fields, name) ? family.table : table);
  return probe(allFields, parsed, tableOf, current, needs);
}

interface Probed {
  readonly name: string;
  /** How many of the objects that are referred to exist, or the key of a row that has a unique value. */
  readonly found: string;
}

interface ProbeNeeds {
  readonly db: Query;
  readonly dialect: Dialect;
  readonly registry: Registry;
  readonly actor: Actor | null;
}

/** Checks all references and unique values of a body in one statement. */
async function probe(
  fields: Fields,
  { values, given }: Pick<ParsedBody, 'values' | 'given'>,
  tableOf: (name: string) => string | null,
  current: string | number | null,
  { db, dialect, registry, actor }: ProbeNeeds,
): Promise<Complaints> {
  const names = [...given].filter((name) => values[name] !== undefined && values[name] !== null);
  const references = names.flatMap((name) => {
    const [field, value] = [fields[name], values[name]];
    if (!field || !isRef(field)) return [];
    const keys = keysOf(value);
    const where = Array.isArray(value) ? dialect.isOneOf(sql`pk`, keys, field.keyType) : sql`pk = ${value}`;
    // A kind's own table has no rows of other kinds.
    const rows = sql`from ${sql.table(registry.require(field.model).table)} where ${where}`;
    return [{ name, field, keys, rows }];
  });
  const uniques = names.flatMap((name) => {
    const [unique, table] = [fields[name]?.unique, tableOf(name)];
    return unique && table && !fields[name]?.key && values[name] !== '' ? [{ name, unique, table }] : [];
  });
  const probes = [
    ...references.map(
      ({ name, rows }) => sql`select ${sql.lit(name)} as name, cast(count(*) as text) as found ${rows}`,
    ),
    ...uniques.map(
      ({ name, table }) => sql`select ${sql.lit(taken(name))} as name, cast(pk as text) as found
        from ${sql.table(table)} where ${sql.ref(name)} = ${values[name]}`,
    ),
  ];
  if (probes.length === 0) return {};

  const { rows } = await sql<Probed>`${sql.join(probes, sql` union all `)}`.execute(db);
  const found = Map.groupBy(rows, ({ name }) => name);
  const complaints: Complaints = {};
  for (const { name, field, keys, rows } of references) {
    if (Number(found.get(name)?.[0]?.found) === keys.length) continue;
    const present = await sql<{ pk: string | number }>`select pk ${rows}`.execute(db);
    const missing = new Set(keys).difference(new Set(present.rows.map(({ pk }) => pk)));
    complaints[name] = missingFor(actor, field, registry.require(field.model), [...missing][0]);
  }
  for (const { name, unique } of uniques) {
    const others = found.get(taken(name))?.filter((one) => one.found !== String(current)) ?? [];
    if (others.length > 0) complaints[name] = [unique];
  }
  return complaints;
}

/** A unique reference needs two probes: whether the object exists, and whether another row refers to it. */
const taken = (name: string) => `${name} taken`;

// References are parsed to keys.
const keysOf = (value: unknown) => [value].flat() as (string | number)[];
