import { type RawBuilder, sql } from 'kysely';
import { memoizeWeakly } from '../../lib/memoize.ts';
import { Problem } from '../../lib/problem.ts';
import { createWorkQueue } from '../../lib/work-queue.ts';
import type { Query } from '../../platform/db/database.ts';
import { shapedStatements, statement } from '../../platform/db/statement.ts';
import { ownerColumn, visibleRows } from '../access/access.ts';
import type { Actor } from '../access/actor.ts';
import type { Call } from '../call.ts';
import { type Row, readContext } from '../fields/field.ts';
import { canonicalUuid, isUuid } from '../fields/scalar.ts';
import { isStorable } from '../fields/well-formed.ts';
import { filterConditions } from '../list/query.ts';
import type { Engine, Finder, LoadStored, OperationContext, Registry, Resource, RowUse } from '../resource.ts';
import { readFlag } from '../write/flags.ts';
import { privatelyNested, showsSecrets } from './nested-views.ts';
import { type MaySee, planOf } from './plan.ts';
import type { Plan, PlanView } from './row-plan.ts';
import { loadStored } from './stored.ts';
import type { PkOf } from './stored-row.ts';

const maxPageShapes = 200;
const largePages = {
  concurrency: 2,
  queue: 500,
  full: () => new Problem('unavailable', undefined, { 'retry-after': '5' }),
};

/** Plans are cached. Those that may show secrets are built per call, unless the caller may see everything. */
export function createEngine(registry: Registry): Engine {
  const perView = <T>(make: () => T) => ({ full: make(), listed: make(), bare: make() });
  const open = perView(() => new Map<Resource, Plan>());
  const guarded = new Map<Resource, boolean>();
  const nestedOf = memoizeWeakly((resource: Resource) => [...privatelyNested(resource, 'full', registry)]);
  const ownPlans = perView(() => new WeakMap<Call, Map<Resource, Plan>>());
  const stored = new Map<Resource, LoadStored>();
  const finders = {
    show: new Map<Resource, Finder>(),
    know: new Map<Resource, Finder>(),
    write: new Map<Resource, Finder>(),
    key: new Map<Resource, Finder>(),
  };

  function openPlan(resource: Resource, call: Call, view: PlanView): Plan {
    let plan = open[view].get(resource);
    if (!plan) {
      plan = shared(
        planOf(resource, view, { registry, dialect: call.db.dialect, maySeeSecrets: () => true, mayView: () => true }),
        call.db.read,
      );
      open[view].set(resource, plan);
    }
    return plan;
  }

  function ownPlan(resource: Resource, call: Call, view: PlanView): Plan {
    const plans = ownPlans[view].get(call) ?? new Map<Resource, Plan>();
    ownPlans[view].set(call, plans);
    let plan = plans.get(resource);
    if (!plan) {
      const { actor } = call;
      const rights = { maySeeSecrets: rightToSecrets(actor), mayView: rightToView(actor) };
      const needs = { registry, dialect: call.db.dialect, ...rights };
      const without = leftOut(call.request.query);
      plan = planOf(resource, view, { ...needs, ...(without && { without }) });
      plans.set(resource, plan);
    }
    return plan;
  }

  function isOpen(resource: Resource, call: Call): boolean {
    if (leftOut(call.request.query)) return false;
    if (call.actor?.isSuperuser) return true;
    let isGuarded = guarded.get(resource);
    if (isGuarded === undefined) {
      isGuarded = showsSecrets(resource, 'full', registry);
      guarded.set(resource, isGuarded);
    }
    return !isGuarded && nestedOf(resource).every((nested) => call.actor?.holds(nested.permission('view')));
  }

  const engine: Engine = {
    registry,
    inTurn: createWorkQueue(largePages),
    // A plan or loader reads rows of its own resource; the maps erase the row types.
    stored<R extends Row>(resource: Resource<R>, { db }: Call) {
      const load = stored.get(resource) ?? loadStored(resource, db.dialect);
      stored.set(resource, load);
      // See above.
      return load as LoadStored<R>;
    },
    // See above.
    plan: <R extends Row>(resource: Resource<R>, call: Call, view: PlanView = 'full') =>
      (isOpen(resource, call) ? openPlan(resource, call, view) : ownPlan(resource, call, view)) as Plan<R>,
    finder(resource, call, use) {
      if (!isOpen(resource, call)) return null;
      const cache = finders[use];
      let finder = cache.get(resource);
      if (!finder) {
        const column = resource.row().col(use === 'key' ? 'pk' : resource.lookup);
        const shown = use === 'key' ? 'show' : use;
        finder = statement((name) => selectSql(engine, resource, call, [sql`${column} = ${name}`], shown));
        cache.set(resource, finder);
      }
      return finder;
    },
  };
  return engine;
}

/** The `include_…` parameters that are false and so omit nested objects. */
function leftOut(query: URLSearchParams): ReadonlySet<string> | null {
  if (query.size === 0) return null;
  const off = [...query].filter(([name, value]) => name.startsWith('include_') && readFlag(value) === false);
  return off.length > 0 ? new Set(off.map(([name]) => name)) : null;
}

/** Whether this caller may see the secrets of all objects of a resource, of none, or of those in a subquery. */
const rightToSecrets =
  (actor: Actor | null): MaySee =>
  (resource) => {
    if (!actor) return false;
    const permission = resource.secretPermission;
    return actor.holds(permission) || actor.objectsHolding(permission, resource.key);
  };

/** Whether this caller may view all nested objects of a resource, or those in a subquery. */
const rightToView =
  (actor: Actor | null): MaySee =>
  (resource) => {
    if (!actor) return false;
    const permission = resource.permission('view');
    if (actor.holds(permission)) return true;
    const held = actor.objectsHolding(permission, resource.key);
    return resource.nestedPrivacy ? sql`${held} union ${resource.nestedPrivacy.ownRows(actor)}` : held;
  };

/** A select list without parameters is rendered once, and so are the statements for pages. */
function shared(plan: Plan, db: Query): Plan {
  const { sql: text, parameters } = sql`select ${plan.list}`.compile(db);
  if (parameters.length > 0) return plan;
  return { ...plan, list: sql.raw(text.slice('select '.length)), runPage: shapedStatements(maxPageShapes) };
}

/** Converts the value in the path to the type of its column; null if no row can have it. */
function parseName(resource: Resource, text: string): string | number | null {
  if (resource.lookup === 'pk') return parseKey(resource, text);
  return isStorable(text) ? text : null;
}

export function parseKey(resource: Resource, text: string): string | number | null {
  if (resource.key === 'int') return /^\d{1,10}$/.test(text) && Number(text) <= 2147483647 ? Number(text) : null;
  if (resource.key === 'uuid') return isUuid(text) ? canonicalUuid(text) : null;
  return isStorable(text) ? text : null;
}

/** A class, because every object that is made with a getter in its literal gets a layout of its own in V8. */
export class SelectedRow<R extends Row = Row> {
  readonly pk: PkOf<R>;
  /** The row as selected; `plan.show` and `plan.load` read it. */
  readonly raw: Row;
  readonly #load: () => R;
  #values: R | undefined;

  constructor(pk: PkOf<R>, raw: Row, load: () => R) {
    this.pk = pk;
    this.raw = raw;
    this.#load = load;
  }

  /** All stored values, including hidden ones. Lazy: showing a row does not need them. */
  get values(): R {
    this.#values ??= this.#load();
    return this.#values;
  }
}

/** The row in the path, if the caller may see it. Otherwise throws the appropriate refusal. */
export async function findVisible<R extends Row>(
  context: OperationContext<R>,
  use: RowUse = 'show',
): Promise<SelectedRow<R>> {
  const { engine, resource, call, tx } = context;
  const visible = await visibleRows(resource, call, engine.registry);
  const conditions = await filterConditions(resource, call, engine.registry);
  if (visible) conditions.push(visible);
  const name = parseName(resource, call.params[resource.param] ?? '');
  if (name === null) throw new Problem('not_found');
  const find = conditions.length === 0 ? engine.finder(resource, call, use) : null;
  const named = () => sql`${resource.row().col(resource.lookup)} = ${name}`;
  const found = find
    ? selectedRow(engine, resource, call, await find(tx, name), use)
    : await selectOne(context, [named(), ...conditions], use);
  if (!found) throw new Problem('not_found');
  return found;
}

/** One row by conditions. Checks no permissions: that is up to the caller of this function. */
export async function selectOne<R extends Row>(
  { engine, resource, call, tx }: OperationContext<R>,
  conditions: readonly RawBuilder<unknown>[],
  use: RowUse = 'show',
): Promise<SelectedRow<R> | null> {
  const { rows } = await selectSql(engine, resource, call, conditions, use).execute(tx);
  return selectedRow(engine, resource, call, rows, use);
}

/** One row by its key. Checks no permissions either. */
export async function selectByKey<R extends Row>(
  context: OperationContext<R>,
  pk: string | number,
): Promise<SelectedRow<R> | null> {
  const { engine, resource, call, tx } = context;
  const find = engine.finder(resource, call, 'key');
  if (find) return selectedRow(engine, resource, call, await find(tx, pk), 'show');
  return selectOne(context, [sql`${resource.row().col('pk')} = ${pk}`]);
}

/** A group may have a hundred thousand members, of whom a write needs the keys alone. */
const viewFor = (use: RowUse): PlanView => (use === 'show' ? 'full' : 'bare');

function selectSql(
  engine: Engine,
  resource: Resource,
  call: Call,
  conditions: readonly RawBuilder<unknown>[],
  use: RowUse,
): RawBuilder<Row> {
  const { list } = engine.plan(resource, call, viewFor(use));
  const row = resource.row();
  const { visibility } = resource;
  const owner = visibility?.by === 'owner' ? sql`, ${row.col(visibility.column)} as ${sql.ref(ownerColumn)}` : sql``;
  const kind =
    resource.family === undefined && registryHasKinds(engine, resource) ? sql`, ${row.col('kind')} as kind` : sql``;
  const where = sql.join(conditions, sql` and `);
  const locked = use === 'write' ? call.db.dialect.forUpdate : sql``;
  return sql`select ${list}${owner}${kind} from ${resource.from()} where ${where} ${locked}`;
}

function selectedRow<R extends Row>(
  engine: Engine,
  resource: Resource<R>,
  call: Call,
  [raw]: readonly Row[],
  use: RowUse,
): SelectedRow<R> | null {
  if (!raw) return null;
  // The column is the resource's key.
  return new SelectedRow(raw[resource.keyName ?? 'pk'] as PkOf<R>, raw, () => ({
    ...Object.fromEntries([ownerColumn, 'kind'].filter((name) => name in raw).map((name) => [name, raw[name]])),
    ...engine.plan(resource, call, viewFor(use)).load(raw, readContext(call, engine.registry)),
  }));
}

const registryHasKinds = ({ registry }: Engine, resource: Resource) => registry.kinds(resource.model).length > 0;

/** The row as the caller sees it. Others are served while a long list of nested objects is shown. */
export async function showRow(engine: Engine, resource: Resource, call: Call, raw: Row): Promise<Row> {
  const plan = engine.plan(resource, call);
  const context = readContext(call, engine.registry);
  await plan.showAhead([raw], context);
  return plan.show(raw, context);
}
