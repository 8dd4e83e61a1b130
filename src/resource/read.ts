import { type RawBuilder, sql } from 'kysely';
import { Problem } from '../lib/problem.ts';
import type { Query } from '../platform/db/database.ts';
import { ownerColumn, visibleRows } from './access.ts';
import type { Actor } from './actor.ts';
import type { Call } from './call.ts';
import { type CountRows, createCount } from './count.ts';
import type { Row } from './fields/field.ts';
import { canonicalUuid, isUuid } from './fields/scalar.ts';
import { isStorable } from './fields/well-formed.ts';
import { type MayView, nestsSecrets, type Plan, planOf } from './plan.ts';
import { filterConditions } from './query.ts';
import type { Registry } from './registry.ts';
import type { Resource } from './resource.ts';

export interface Engine {
  readonly registry: Registry;
  /** The full view of a resource as this call's actor may see it. */
  plan(resource: Resource, call: Call): Plan;
  readonly count: CountRows;
}

/** Plans are made once; only those that may show nested secrets are made for each caller who may not see everything. */
export function createEngine(registry: Registry): Engine {
  const open = new Map<Resource, Plan>();
  const guarded = new Map<Resource, boolean>();
  const made = new WeakMap<Call, Map<Resource, Plan>>();

  function openPlan(resource: Resource, call: Call): Plan {
    let plan = open.get(resource);
    if (!plan) {
      plan = frozen(
        planOf(resource, 'full', { registry, dialect: call.db.dialect, mayView: () => true }),
        call.db.read,
      );
      open.set(resource, plan);
    }
    return plan;
  }

  function ownPlan(resource: Resource, call: Call): Plan {
    const plans = made.get(call) ?? new Map<Resource, Plan>();
    made.set(call, plans);
    let plan = plans.get(resource);
    if (!plan) {
      const needs = { registry, dialect: call.db.dialect, mayView: rightToView(call.actor) };
      const without = leftOut(call.request.query);
      plan = planOf(resource, 'full', { ...needs, ...(without && { without }) });
      plans.set(resource, plan);
    }
    return plan;
  }

  return {
    registry,
    count: createCount(),
    plan(resource, call) {
      if (leftOut(call.request.query)) return ownPlan(resource, call);
      if (call.actor?.isSuperuser) return openPlan(resource, call);
      let isGuarded = guarded.get(resource);
      if (isGuarded === undefined) {
        isGuarded = nestsSecrets(resource, 'full', registry);
        guarded.set(resource, isGuarded);
      }
      return isGuarded ? ownPlan(resource, call) : openPlan(resource, call);
    },
  };
}

/** The `include_…` parameters that are false: they leave nested objects out. */
function leftOut(query: URLSearchParams): ReadonlySet<string> | null {
  if (query.size === 0) return null;
  const off = [...query].filter(([name, value]) => name.startsWith('include_') && /^(false|0)$/i.test(value));
  return off.length > 0 ? new Set(off.map(([name]) => name)) : null;
}

/** Whether this caller may view all objects of a resource, none, or those whose keys a subquery gives. */
const rightToView =
  (actor: Actor | null): MayView =>
  (resource) => {
    if (!actor) return false;
    const permission = resource.permission('view');
    return actor.holds(permission) || actor.objectsHolding(permission, resource.key);
  };

/** A select list without parameters is rendered once. */
function frozen(plan: Plan, db: Query): Plan {
  const { sql: text, parameters } = sql`select ${plan.list}`.compile(db);
  return parameters.length > 0 ? plan : { ...plan, list: sql.raw(text.slice('select '.length)) };
}

/** The key condition for the value in the path, or null when no row can have it. */
export function keyCondition(resource: Resource, text: string): RawBuilder<unknown> | null {
  const row = resource.row();
  if (resource.lookup !== 'pk') return isStorable(text) ? sql`${row.col(resource.lookup)} = ${text}` : null;
  const key = parseKey(resource, text);
  return key === null ? null : sql`${row.col('pk')} = ${key}`;
}

export function parseKey(resource: Resource, text: string): string | number | null {
  if (resource.key === 'int') return /^\d{1,10}$/.test(text) && Number(text) <= 2147483647 ? Number(text) : null;
  if (resource.key === 'uuid') return isUuid(text) ? canonicalUuid(text) : null;
  return isStorable(text) ? text : null;
}

export interface FoundRow {
  readonly pk: string | number;
  /** The row as selected; `plan.show` and `plan.load` read it. */
  readonly raw: Row;
  /** Every stored value, hidden ones too. */
  readonly values: Row;
}

/** The row that the path names, if the caller may see it. Throws what the caller is to be told otherwise. */
export async function findVisible(
  engine: Engine,
  resource: Resource,
  call: Call,
  db: Query,
  lock = false,
): Promise<FoundRow> {
  const visible = await visibleRows(resource, call, engine.registry);
  const filters = await filterConditions(resource, call, engine.registry);
  const key = keyCondition(resource, call.params[resource.param] ?? '');
  if (!key) throw new Problem('not_found');
  const found = await selectOne(engine, resource, call, db, [key, ...(visible ? [visible] : []), ...filters], lock);
  if (!found) throw new Problem('not_found');
  return found;
}

/** One row by conditions, whoever asks: the caller of this function has checked that they may. */
export async function selectOne(
  engine: Engine,
  resource: Resource,
  call: Call,
  db: Query,
  conditions: readonly RawBuilder<unknown>[],
  lock = false,
): Promise<FoundRow | null> {
  const plan = engine.plan(resource, call);
  const row = resource.row();
  const { visibility } = resource;
  const owner = visibility?.by === 'owner' ? sql`, ${row.col(visibility.column)} as ${sql.ref(ownerColumn)}` : sql``;
  const kind =
    resource.family === undefined && registryHasKinds(engine, resource) ? sql`, ${row.col('kind')} as kind` : sql``;
  const { rows } =
    await sql<Row>`select ${plan.list}${owner}${kind} from ${resource.from()} where ${sql.join(conditions, sql` and `)} ${lock ? call.db.dialect.forUpdate : sql``}`.execute(
      db,
    );
  const raw = rows[0];
  if (!raw) return null;
  const values = plan.load(raw, { world: call.world, call, registry: engine.registry });
  for (const extra of [ownerColumn, 'kind']) if (extra in raw && !(extra in values)) values[extra] = raw[extra];
  return { pk: raw[resource.keyName ?? 'pk'] as string | number, raw, values };
}

const registryHasKinds = ({ registry }: Engine, resource: Resource) => registry.kinds(resource.model).length > 0;

/** What the caller sees of a row. */
export function showRow(engine: Engine, resource: Resource, call: Call, raw: Row): Row {
  return engine.plan(resource, call).show(raw, { world: call.world, call, registry: engine.registry });
}
