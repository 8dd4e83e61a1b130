import { sql } from 'kysely';
import { chunksOf } from '../../lib/chunks.ts';
import { inSentence } from '../../lib/nouns.ts';
import { type Complaints, Invalid, Problem } from '../../lib/problem.ts';
import { type Query, Rollback } from '../../platform/db/database.ts';
import { keysPerStatement } from '../../platform/db/keys-per-statement.ts';
import { sealContext } from '../../platform/keys.ts';
import { heldAmong, hiddenAmong } from '../access/access.ts';
import { missingFor } from '../access/missing-object.ts';
import { type Call, requireActor } from '../call.ts';
import type { Join, Row } from '../fields/field.ts';
import { isRef } from '../fields/ref.ts';
import type { AccessContext, Resource } from '../resource.ts';
import { isCreatedBy } from './created.ts';
import { hasFlag } from './flags.ts';

/** Whether the caller only wants a preview of the change. */
export const isDryRun = (call: Call): boolean => hasFlag(call.request.query, 'dry_run');

/** Runs a change in one transaction; a dry run is rolled back once it has produced its response. */
export async function inWrite<T>(call: Call, resource: Resource | null, work: (tx: Query) => Promise<T>): Promise<T> {
  try {
    if (call.tx) return await work(call.tx);
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

/** A violated constraint is the caller's error: another request has raced past the same checks. */
function refusalOf(error: unknown, call: Call, resource: Resource | null): Invalid | null {
  const violation = call.db.dialect.violation(error);
  if (!violation) return null;
  if (violation.kind === 'reference') return Invalid.whole('An object that is referred to does not exist.');
  if (violation.kind === 'size') return Invalid.whole('A value is too long to be stored.');
  if (violation.kind === 'check') return null;
  const complaints: Complaints = {};
  const fields = Object.entries(resource?.allFields ?? {});
  for (const column of violation.columns) {
    const [name, field] = fields.find(([own, { key }]) => own === column || key?.column === column) ?? [];
    if (name !== undefined && field?.unique) complaints[name] = [field.unique];
  }
  if (Object.keys(complaints).length > 0) return new Invalid(complaints);
  return Invalid.whole(`The fields ${violation.columns.join(', ')} must make a unique set.`);
}

export function throwComplaints(...sets: readonly (Complaints | null)[]): void {
  const complaints: Complaints = Object.assign({}, ...sets);
  if (Object.keys(complaints).length > 0) throw new Invalid(complaints);
}

/** Groups values by the resource's tables. Leaves out those that are stored in no column. */
export function valuesByTable(resource: Resource, values: Row): Map<string, Row> {
  const { family, table } = resource;
  const [base, own]: [Row, Row] = [{}, {}];
  for (const [name, value] of Object.entries(values)) {
    const field = resource.allFields[name];
    // An embedded object is shown whole but stored as its key.
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

/** Values as columns of the row with this key; undefined if the database will generate it. */
export function columnsOf(resource: Resource, pk: string | number | undefined, values: Row, call: Call): Row {
  const columns: Row = {};
  for (const [name, value] of Object.entries(values)) {
    const field = resource.allFields[name];
    // Secrets are sealed for their row. Tables with database-generated keys cannot hold them, so they belong to a
    // family.
    if (pk === undefined && field?.secret)
      throw new Error(`${resource.model}.${name}: a secret needs the key of its row`);
    const context = sealContext(resource.rootTable, name, pk ?? '');
    columns[name] = value === null ? null : field?.toColumn(value, call.world, context);
    if (field?.key) columns[field.key.column] = value === null ? null : field.key.of(value);
  }
  return columns;
}

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

/** Makes the join table match the request. */
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
    const { join } = field.storage;
    const before = isNew ? new Map<Key, number>() : await pairedWith(join, pk, tx);
    const after = new Map(value.map((key: Key, index) => [key, join.isOrdered ? index : 0]));
    const gone = [...before.keys()].filter((key) => !after.has(key));
    for (const removed of chunksOf(gone, keysPerStatement)) {
      await sql`delete from ${sql.table(join.table)} where ${sql.ref(join.own)} = ${pk}
        and ${sql.ref(join.other)} in (${sql.join(removed)})`.execute(tx);
    }
    const moved = [...after].filter(([key, position]) => before.get(key) !== position);
    for (const pairs of chunksOf(moved, keysPerStatement)) await writePairs(join, pk, pairs, tx);
  }
}

async function writePairs(
  { table, own, other, isOrdered }: Join,
  pk: string | number,
  pairs: readonly (readonly [Key, number])[],
  tx: Query,
): Promise<void> {
  const keys = sql`${sql.ref(own)}, ${sql.ref(other)}`;
  await (isOrdered
    ? sql`insert into ${sql.table(table)} (${keys}, position)
        values ${sql.join(pairs.map(([key, position]) => sql`(${pk}, ${key}, ${position})`))}
        on conflict (${keys}) do update set position = excluded.position`
    : sql`insert into ${sql.table(table)} (${keys})
        values ${sql.join(pairs.map(([key]) => sql`(${pk}, ${key})`))} on conflict do nothing`
  ).execute(tx);
}

type Key = string | number;

/** The keys that a row refers to, with their positions. */
async function pairedWith(
  { table, own, other, isOrdered }: Join,
  pk: string | number,
  tx: Query,
): Promise<ReadonlyMap<Key, number>> {
  const { rows } = await sql<{ key: Key; position: number }>`select ${sql.ref(other)} as key,
    ${isOrdered ? sql.ref('position') : sql`0`} as position from ${sql.table(table)}
    where ${sql.ref(own)} = ${pk}`.execute(tx);
  return new Map(rows.map(({ key, position }) => [key, position]));
}

/**
 * References take rights on their object: to change the old and the new one, to use the new one, or to see it, because
 * answers show it: what the caller may not see does not exist for them.
 */
export async function checkReferenceRights(
  resource: Resource,
  values: Row,
  current: Row | null,
  context: AccessContext,
): Promise<void> {
  const { call, registry } = context;
  const actor = requireActor(call);
  if (actor.isSuperuser) return;
  for (const [name, value] of Object.entries(values)) {
    const field = resource.allFields[name];
    if (!field || !isRef(field) || !field.needs || value === current?.[name]) continue;
    const target = registry.require(field.model);
    const [before, after] = [keysIn(current?.[name]), keysIn(value)];
    const added = after.difference(before);
    if (field.needs === 'view') {
      const [hidden] = await hiddenAmong(target, [...added], context);
      if (hidden !== undefined) throw new Invalid({ [name]: missingFor(actor, field, target, hidden) });
      continue;
    }
    const keys = field.needs === 'use' ? added : after.symmetricDifference(before);
    await checkRightsOn({ name, needs: field.needs, model: field.model }, [...keys], context);
  }
}

/** Checks that the caller may change, or use, the objects that a member of the request refers to. */
export async function checkRightsOn(
  { name, needs, model }: { readonly name: string; readonly needs: 'use' | 'change'; readonly model: string },
  keys: readonly (string | number)[],
  context: AccessContext,
): Promise<void> {
  const target = context.registry.require(model);
  const lack = await firstLacking(needs, target, keys, context);
  if (!lack) return;
  const [hidden] = await hiddenAmong(target, [lack.pk], context);
  if (hidden !== undefined) throw hiddenReference(name, target, needs);
  const detail = `“${name}” takes the permission ${lack.required} on the ${inSentence(target.names[0])} ${lack.pk}.`;
  throw Problem.lacks(lack.required, detail);
}

/** Names the permission by the model that the field declares: which kind of object is hidden must not show. */
function hiddenReference(name: string, target: Resource, needs: 'use' | 'change'): Problem {
  const view = target.permission('view');
  return Problem.lacks(
    view,
    `“${name}” refers to an object that you may not see: that takes the permission ${view} on it, and one to ${needs} it.`,
  );
}

const keysIn = (value: unknown): Set<string | number> => new Set([value].flat().filter(isKey));

interface Lack {
  readonly pk: string | number;
  readonly required: string;
}

interface Referenced {
  readonly pk: string | number;
  readonly kind: string | null;
  readonly managed: unknown;
}

/**
 * The first of these objects that the caller may not change, or use. What Gatehouse ships and what the same request
 * has created, callers may use; objects of a family also by the permission for their kind.
 */
async function firstLacking(
  need: 'use' | 'change',
  target: Resource,
  keys: readonly (string | number)[],
  { call, registry, tx }: AccessContext,
): Promise<Lack | null> {
  const asked = keys.filter((pk) => !isCreatedBy(call, target, pk));
  if (asked.length === 0) return null;
  const row = target.row();
  const { rows } = await sql<Referenced>`select ${row.col('pk')} as pk,
    ${registry.kinds(target.model).length > 0 ? row.col('kind') : sql`null`} as kind,
    ${target.allFields.managed ? row.col('managed') : sql`null`} as managed
    from ${target.from()} where ${row.col('pk')} in (${sql.join(asked)})`.execute(tx);
  const open = need === 'use' ? rows.filter(({ managed }) => managed === null) : rows;
  for (const [kind, found] of Map.groupBy(open, (one) => one.kind)) {
    const own = (kind === null ? undefined : registry.find(kind)) ?? target;
    const verbs = need === 'use' ? (['use', 'change'] as const) : (['change'] as const);
    const lacking = new Set(found.map(({ pk }) => pk));
    for (const holder of own === target ? [own] : [own, target]) {
      const permissions = verbs.map((verb) => holder.permission(verb));
      const isHeld = await heldAmong(requireActor(call), permissions, holder, [...lacking], tx);
      for (const pk of lacking) if (permissions.some((permission) => isHeld(permission, pk))) lacking.delete(pk);
    }
    const [pk] = lacking;
    if (pk !== undefined) return { pk, required: own.permission(need) };
  }
  return null;
}

const isKey = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';
