import { sql } from 'kysely';
import { chunksOf } from '../lib/chunks.ts';
import { type Complaints, Invalid, Problem } from '../lib/problem.ts';
import { type Query, Rollback } from '../platform/db/database.ts';
import { sealContext } from '../platform/keys.ts';
import { holdsOn } from './access.ts';
import { type Call, requireActor } from './call.ts';
import type { Join, Row } from './fields/field.ts';
import { isRef } from './fields/ref.ts';
import { hasFlag } from './flags.ts';
import type { Registry, Resource } from './resource.ts';

/** Whether the caller only wants to see what would come. */
export const isDryRun = (call: Call): boolean => hasFlag(call.request.query, 'dry_run');

/** Runs a change in one transaction; a dry run is rolled back after it has shown its answer. */
export async function inWrite<T>(call: Call, resource: Resource | null, work: (tx: Query) => Promise<T>): Promise<T> {
  try {
    return await call.db.write(async (tx) => {
      const value = await work(tx);
      if (isDryRun(call)) throw new Rollback(value);
      return value;
    });
  } catch (error) {
    if (error instanceof Rollback) return error.value;
    throw refusalOf(error, call, resource) ?? error;
  }
}

/** A broken constraint is the caller's fault when two requests raced past the checks. */
function refusalOf(error: unknown, call: Call, resource: Resource | null): Invalid | null {
  const violation = call.db.dialect.violation(error);
  if (!violation) return null;
  if (violation.kind === 'reference') return Invalid.whole('An object that is referred to does not exist.');
  if (violation.kind === 'size') return Invalid.whole('A value is too long to be stored.');
  if (violation.kind === 'check') return null;
  const complaints: Complaints = {};
  for (const column of violation.columns) {
    const unique = resource?.allFields[column]?.unique;
    if (unique) complaints[column] = [unique];
  }
  if (Object.keys(complaints).length > 0) return new Invalid(complaints);
  return Invalid.whole(`The fields ${violation.columns.join(', ')} must make a unique set.`);
}

export function throwComplaints(...sets: readonly (Complaints | null)[]): void {
  const complaints: Complaints = Object.assign({}, ...sets);
  if (Object.keys(complaints).length > 0) throw new Invalid(complaints);
}

/** Sorts values into the tables of the resource. Leaves out what is stored in no column. */
export function valuesByTable(resource: Resource, values: Row): Map<string, Row> {
  const { family, table } = resource;
  const [base, own]: [Row, Row] = [{}, {}];
  for (const [name, value] of Object.entries(values)) {
    const field = resource.allFields[name];
    // An embedded object is shown whole and stored as its key.
    if (field?.storage.in !== 'column' && field?.kind !== 'embedded') continue;
    const home = family && Object.hasOwn(family.fields, name) ? base : own;
    home[name] = value;
  }
  return new Map(
    family
      ? [
          [family.table, base],
          [table, own],
        ]
      : [[table, own]],
  );
}

/** Values as columns of the row with this key; undefined while the database has still to make it. */
export function columnsOf(resource: Resource, pk: string | number | undefined, values: Row, call: Call): Row {
  const columns: Row = {};
  for (const [name, value] of Object.entries(values)) {
    const field = resource.allFields[name];
    // Secrets are sealed for their row: those of a table that makes its own keys belong in a table of a family.
    if (pk === undefined && field?.secret)
      throw new Error(`${resource.model}.${name}: a secret needs the key of its row`);
    const context = sealContext(resource.rootTable, name, pk ?? '');
    columns[name] = value === null ? null : field?.toColumn(value, call.world, context);
  }
  return columns;
}

/** Stores new values of a row in the columns of its tables. */
export async function updateColumns(
  resource: Resource,
  pk: string | number,
  values: Row,
  call: Call,
  tx: Query,
): Promise<void> {
  for (const [table, own] of valuesByTable(resource, values)) {
    const columns = Object.entries(columnsOf(resource, pk, own, call));
    if (columns.length === 0) continue;
    const pairs = columns.map(([name, value]) => sql`${sql.ref(name)} = ${value}`);
    await sql`update ${sql.table(table)} set ${sql.join(pairs)} where pk = ${pk}`.execute(tx);
  }
}

/** Makes the table of pairs say exactly what the request says. */
export async function writeJoins(
  resource: Resource,
  pk: string | number,
  values: Row,
  tx: Query,
  isNew: boolean,
): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    const field = resource.allFields[name];
    if (field?.storage.in !== 'join' || !Array.isArray(value)) continue;
    const { table, own, other } = field.storage.join;
    const keys = new Set<string | number>(value);
    const known = isNew ? new Set<string | number>() : await pairedWith(field.storage.join, pk, tx);
    for (const gone of chunksOf([...known.difference(keys)], maxPairs)) {
      await sql`delete from ${sql.table(table)} where ${sql.ref(own)} = ${pk} and ${sql.ref(other)} in (${sql.join(gone)})`.execute(
        tx,
      );
    }
    for (const added of chunksOf([...keys.difference(known)], maxPairs)) {
      const pairs = sql.join(added.map((key) => sql`(${pk}, ${key})`));
      await sql`insert into ${sql.table(table)} (${sql.ref(own)}, ${sql.ref(other)}) values ${pairs} on conflict do nothing`.execute(
        tx,
      );
    }
  }
}

/** A statement takes so many parameters and no more: SQLite 32,766. */
const maxPairs = 5_000;

async function pairedWith(
  { table, own, other }: Join,
  pk: string | number,
  tx: Query,
): Promise<ReadonlySet<string | number>> {
  const { rows } = await sql<{ key: string | number }>`select ${sql.ref(other)} as key from ${sql.table(table)}
    where ${sql.ref(own)} = ${pk}`.execute(tx);
  return new Set(rows.map(({ key }) => key));
}

/** Some references give rights over what they name: the caller must hold them, on the old object and on the new. */
export async function checkReferenceRights(
  resource: Resource,
  values: Row,
  current: Row | null,
  call: Call,
  registry: Registry,
  tx: Query,
): Promise<void> {
  const actor = requireActor(call);
  for (const [name, value] of Object.entries(values)) {
    const field = resource.allFields[name];
    if (!field || !isRef(field) || !field.needs || value === current?.[name]) continue;
    const target = registry.require(field.model);
    for (const key of [value, current?.[name]].flat()) {
      if (key === null || key === undefined) continue;
      if (!(await holdsOn(actor, target.permission(field.needs), target, key, tx)))
        throw new Problem('permission_denied');
    }
  }
}
