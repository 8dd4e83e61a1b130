import { type RawBuilder, sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { isWritable } from '../fields/field.ts';
import { isRef, type RefField } from '../fields/ref.ts';
import { parseKey } from '../read/read.ts';
import type { AccessContext, Registry, Resource } from '../resource.ts';
import { isCreatedBy } from '../write/created.ts';
import { heldAmong, holdsAll } from './access.ts';
import type { Actor } from './actor.ts';
import type { Whole } from './reach.ts';

// Resources that decide how people sign in (`reaches`) are written by holders of the permission while nothing that
// users sign in through depends on the object. Dependence follows from references and from the wholes of parts
// (`wholesOf`), transitively. Of other objects that depend on it, such as applications, callers must be able to change
// each.

type Key = string | number;

/**
 * How an object is used: it is one of the places where users sign in, something is bound to a target, or refers to it.
 */
type Way = 'itself' | 'bound' | 'used';

/** What keeps a caller from writing an object. */
export interface Obstacle {
  readonly way: Way;
  /** What depends on the object, or the object itself. */
  readonly resource: Resource;
  readonly pk: Key;
  /** The permission that the caller lacks on it; null if users sign in through it, which only superusers change. */
  readonly required: string | null;
  /** The member that refers to it, if that is for superusers to choose. */
  readonly member?: string | undefined;
}

/** By key of the objects that led here: how these are used. */
type Origins = Map<Key, Way>;
type Level = Map<Resource, Map<Key, Origins>>;

/** What keeps the caller from writing each of these objects; nothing for the others, and for superusers. */
export async function findObstacles(
  resource: Resource,
  keys: readonly Key[],
  context: AccessContext,
): Promise<ReadonlyMap<Key, Obstacle>> {
  const found = new Map<Key, Obstacle>();
  const { actor } = context.call;
  if (!actor || actor.isSuperuser || !resource.reaches) return found;
  const seen = new Set<string>();
  let level: Level = new Map([[resource, new Map(keys.map((key) => [key, new Map([[key, 'itself']])]))]]);
  for (let depth = 0; level.size > 0; depth += 1) {
    const next: Level = new Map();
    for (const [at, nodes] of level) {
      await blockLive(at, nodes, found, context);
      const open = stillOpen(at, nodes, found, seen);
      if (open.size === 0) continue;
      const isPlain = !at.reaches && !at.wholesOf;
      if (isPlain) await blockUnchangeable(at, open, found, actor, context);
      else await addDependents({ resource: at, nodes: open, isFirst: depth === 0, next, found, actor }, context);
    }
    level = next;
  }
  return found;
}

/** Objects through which users sign in. */
async function blockLive(
  resource: Resource,
  nodes: ReadonlyMap<Key, Origins>,
  found: Map<Key, Obstacle>,
  { tx }: AccessContext,
): Promise<void> {
  const { signsIn } = resource;
  if (!signsIn) return;
  const row = resource.row();
  const live =
    signsIn === 'always'
      ? [...nodes.keys()]
      : (
          await sql<{ pk: Key }>`select ${row.col('pk')} as pk from ${resource.from()}
            where ${row.col('pk')} in (${sql.join([...nodes.keys()])})
              and ${signsIn === 'while enabled' ? row.col('enabled') : signsIn(row)}`.execute(tx)
        ).rows.map(({ pk }) => pk);
  for (const pk of live) block(nodes.get(pk), { resource, pk, required: null }, found);
}

function block(origins: Origins | undefined, by: Omit<Obstacle, 'way'>, found: Map<Key, Obstacle>): void {
  for (const [origin, way] of origins ?? []) if (!found.has(origin)) found.set(origin, { ...by, way });
}

/** Leaves out origins that are blocked already, and those that came by here before. */
function stillOpen(
  resource: Resource,
  nodes: ReadonlyMap<Key, Origins>,
  found: ReadonlyMap<Key, Obstacle>,
  seen: Set<string>,
): Map<Key, Origins> {
  const open = new Map<Key, Origins>();
  for (const [pk, origins] of nodes) {
    for (const [origin, way] of origins) {
      const step = `${resource.model} ${pk} ${origin}`;
      if (found.has(origin) || seen.has(step)) continue;
      seen.add(step);
      open.set(pk, (open.get(pk) ?? new Map()).set(origin, way));
    }
  }
  return open;
}

/** Applications, providers and whatever else does not decide how people sign in: each must be open to the caller. */
async function blockUnchangeable(
  resource: Resource,
  nodes: ReadonlyMap<Key, Origins>,
  found: Map<Key, Obstacle>,
  actor: Actor,
  { call, registry, tx }: AccessContext,
): Promise<void> {
  const change = resource.permission('change');
  const keys = [...nodes.keys()];
  const isHeld = await heldAmong(actor, [change], resource, keys, tx);
  const correct = await resource.rightsOf?.({ actor, keys, valuesOf: () => ({}), registry, query: tx, call });
  const lacksMore = !holdsAll(actor, resource.bindingNeeds ?? []);
  for (const [pk, origins] of nodes) {
    const required = isHeld(change, pk) ? (resource.bindingNeeds ?? []).find((name) => !actor.holds(name)) : change;
    if (!isHeld(change, pk) || lacksMore) block(origins, { resource, pk, required: required ?? change }, found);
    else if (correct && !correct(pk, ['change']).may.includes('change'))
      block(origins, { resource, pk, required: null }, found);
  }
}

interface Visit {
  readonly resource: Resource;
  readonly nodes: ReadonlyMap<Key, Origins>;
  readonly isFirst: boolean;
  readonly next: Level;
  readonly found: Map<Key, Obstacle>;
  readonly actor: Actor;
}

async function addDependents(
  { resource, nodes, isFirst, next, found, actor }: Visit,
  context: AccessContext,
): Promise<void> {
  const { registry, tx } = context;
  const keys = [...nodes.keys()];
  const add = (to: Resource, pk: Key, from: Key) => {
    const level = next.get(to) ?? new Map<Key, Origins>();
    next.set(to, level);
    const origins = level.get(pk) ?? new Map<Key, Way>();
    level.set(pk, origins);
    for (const [origin, way] of nodes.get(from) ?? [])
      if (!origins.has(origin)) origins.set(origin, way === 'itself' ? wayTo(to) : way);
  };
  const wholes = await wholesOf(resource, keys, registry, tx);
  for (const { part, model, pk } of wholes) add(registry.require(model), pk, part);
  // Writing a part takes the permission to change the whole.
  if (isFirst)
    for (const [model, parts] of Map.groupBy(wholes, (one) => one.model)) {
      const whole = registry.require(model);
      const change = whole.permission('change');
      const isHeld = await heldAmong(actor, [change], whole, [...new Set(parts.map(({ pk }) => pk))], tx);
      for (const { part, pk } of parts)
        if (!isHeld(change, pk) && !isCreatedBy(context.call, whole, pk))
          block(new Map([[part, 'used']]), { resource: whole, pk, required: change }, found);
    }
  const references = referencesTo(resource, registry);
  if (references.length === 0) return;
  const parts = references.map((reference, index) => namingSql(reference, index, keys, context));
  const { rows } = await sql<{
    part: number;
    own: string;
    named: string;
  }>`${sql.join(parts, sql` union all `)}`.execute(tx);
  for (const { part, own, named } of rows) {
    const { from, name, field } = references[part] ?? {};
    const [pk, key] = [from && parseKey(from, own), parseKey(resource, named)];
    if (!from || pk === null || pk === undefined || key === null) continue;
    add(from, pk, key);
    // Another content would be another choice.
    if (field?.limits?.only === 'superusers') {
      const origins = new Map([...(nodes.get(key)?.keys() ?? [])].map((origin): [Key, Way] => [origin, 'used']));
      block(origins, { resource: from, pk, required: null, member: name }, found);
    }
  }
}

/** The objects that these are parts of. */
async function wholesOf(
  resource: Resource,
  keys: readonly Key[],
  registry: Registry,
  query: Query,
): Promise<readonly Whole[]> {
  if (resource.wholesOf) return resource.wholesOf(keys, registry, query);
  const [name, field] = Object.entries(resource.allFields).find(([, field]) => isRef(field) && field.partOf) ?? [];
  if (!name || !field || !isRef(field)) return [];
  const row = resource.row();
  const { rows } = await sql<Omit<Whole, 'model'>>`select ${row.col('pk')} as part, ${row.col(name)} as pk
    from ${resource.from()} where ${row.col('pk')} in (${sql.join(keys)})`.execute(query);
  return rows.map((one) => ({ ...one, model: field.model }));
}

const wayTo = ({ wholesOf, reaches }: Resource): Way => (wholesOf && !reaches ? 'bound' : 'used');

interface Reference {
  readonly from: Resource;
  readonly name: string;
  readonly field: RefField;
}

/** The fields that refer to a resource, except those of its parts. */
function referencesTo({ model, family }: Resource, registry: Registry): Reference[] {
  const models = [model, family?.model];
  return registry.resources
    .filter((from) => !from.isAlternate && registry.kinds(from.model).length === 0)
    .flatMap((from) =>
      Object.entries(from.allFields).flatMap(([name, field]) =>
        isRef(field) && isWritable(field) && !field.partOf && models.includes(field.model)
          ? [{ from, name, field }]
          : [],
      ),
    );
}

function namingSql(
  { from, name, field: { storage } }: Reference,
  index: number,
  keys: readonly Key[],
  { call }: AccessContext,
): RawBuilder<unknown> {
  const { toText } = call.db.dialect;
  const part = sql.lit(index);
  if (storage.in === 'join') {
    const { table, own, other } = storage.join;
    return sql`select ${part} as part, ${toText(sql.ref(own))} as own, ${toText(sql.ref(other))} as named
      from ${sql.table(table)} where ${sql.ref(other)} in (${sql.join(keys)})
        and ${sql.ref(own)} in (select pk from ${sql.table(from.table)})`;
  }
  const row = from.row();
  return sql`select ${part} as part, ${toText(row.col('pk'))} as own, ${toText(row.col(name))} as named
    from ${from.from()} where ${row.col(name)} in (${sql.join(keys)})`;
}
