import { type RawBuilder, sql } from 'kysely';
import { heldAmong, ownerColumn, visibleOrNone } from '../access/access.ts';
import type { Actor } from '../access/actor.ts';
import { findObstacles } from '../access/sign-in-obstacles.ts';
import { explain } from '../access/sign-in-use.ts';
import type { RowRights } from '../access/visibility.ts';
import { type Call, requireActor } from '../call.ts';
import { isMadeName } from '../fields/computed.ts';
import { type Field, type Row, readContext } from '../fields/field.ts';
import { planOf } from '../read/plan.ts';
import type { Plan } from '../read/row-plan.ts';
import type { AccessContext, Registry, Resource } from '../resource.ts';
import { nameOf } from '../write/audit.ts';
import { rowPermissions } from './ui-metadata/button.ts';

/** An object and its name, for links and pickers. */
export interface NamedObject {
  readonly model: string;
  /** The family's model, if it was found through its family; else the same. */
  readonly base: string;
  readonly pk: string;
  readonly name: string;
  readonly type: string;
  /** Its path in the API. */
  readonly path: string;
  /** Which of `change` and `delete` the caller may do, and the permissions of actions that they hold on it. */
  readonly may: readonly string[];
  /** Members that the caller may not change for lack of permissions. */
  readonly fixed?: RowRights['fixed'];
  /** Why the caller may not change or delete it although they hold the permission. */
  readonly why?: RowRights['why'];
}

/** Reads the names of a resource's rows that match a condition and that the caller may see. */
export type ReadNames = (
  resource: Resource,
  call: Call,
  condition: RawBuilder<unknown>,
  limit: number,
) => Promise<NamedObject[]>;

export function createReadNames(registry: Registry): ReadNames {
  const plans = new Map<Resource, Plan>();

  function planFor(resource: Resource, call: Call): Plan {
    let plan = plans.get(resource);
    if (!plan) {
      const needs = { registry, dialect: call.db.dialect, maySeeSecrets: () => false, mayView: () => true };
      plan = planOf({ ...resource, allFields: namingFields(resource) }, 'full', needs);
      plans.set(resource, plan);
    }
    return plan;
  }

  return async (resource, call, condition, limit) => {
    const visible = await visibleOrNone(resource, call, registry);
    if (visible === 'none') return [];
    const plan = planFor(resource, call);
    const { visibility } = resource;
    const row = resource.row();
    const owner = visibility?.by === 'owner' ? sql`, ${row.col(visibility.column)} as ${sql.ref(ownerColumn)}` : sql``;
    const { rows } = await sql<Row>`select ${plan.list}${owner} from ${resource.from()}
      where ${condition}${visible ? sql` and ${visible}` : sql``} limit ${limit}`.execute(call.db.read);
    const context = readContext(call, registry);
    const found = rows.map((raw): Found => {
      const values = plan.load(raw, context);
      const kind = (typeof values.kind === 'string' ? registry.find(values.kind) : undefined) ?? resource;
      return { values, kind, pk: raw[resource.keyName ?? 'pk'], owner: raw[ownerColumn] };
    });
    const rightsOf = await rightsTo(found, call, registry);
    return found.map((row) => {
      const { values, kind, pk } = row;
      const key = String(kind.lookup === 'pk' ? pk : values[kind.lookup]);
      const name = nameOf(resource, values) || key;
      const path = `${kind.path}${encodeURIComponent(key)}/`;
      return {
        model: kind.model,
        base: resource.model,
        pk: String(pk),
        name,
        type: kind.names[0],
        path,
        ...rightsOf(row),
      };
    });
  };
}

interface Found {
  readonly values: Row;
  readonly kind: Resource;
  readonly pk: unknown;
  readonly owner: unknown;
}

/** The fields that can make up a name: columns, made names and single references, no long lists. */
const namingFields = ({ allFields }: Resource) =>
  Object.fromEntries(Object.entries(allFields).filter(([, field]) => namesSomething(field)));

function namesSomething(field: Field): boolean {
  const { storage, secret, kind } = field;
  return !secret && kind !== 'json' && (storage.in === 'column' || kind === 'embedded' || isMadeName(field));
}

type Right = 'change' | 'delete';
const verbOf = { change: 'partial_update', delete: 'destroy' } as const;

/** The caller's rights on each of these rows: one statement per kind, if not all permissions are held globally. */
async function rightsTo(found: readonly Found[], call: Call, registry: Registry): Promise<(row: Found) => RowRights> {
  const actor = requireActor(call);
  const query = call.db.read;
  const rightsOf = new Map<Resource, (row: Found) => RowRights>();
  for (const [kind, rows] of Map.groupBy(found, (row) => row.kind)) {
    const keys = rows.map(({ pk }) => pk);
    const ofActions = rowPermissions(kind);
    const verbs = rightsWith(kind).map((right) => kind.permission(right));
    const holds = await heldAmong(actor, [...new Set([...verbs, ...ofActions])], kind, keys, query);
    const values = new Map(rows.map((row) => [row.pk, row.values]));
    const valuesOf = (key: unknown) => values.get(key) ?? {};
    const correct = await kind.rightsOf?.({ actor, keys, valuesOf, registry, query, call });
    const obstacles = await obstaclesOf(kind, keys.filter(isKey), { call, registry, tx: query });
    rightsOf.set(kind, (row) => {
      const isHeld = (permission: string) => holds(permission, row.pk);
      const may = [...verbRights(row, actor, isHeld), ...ofActions.filter(isHeld)];
      const why = isKey(row.pk) && may.some(isWrite) ? obstacles.get(row.pk) : undefined;
      const left = why === undefined ? may : may.filter((right) => !isWrite(right));
      return { ...(correct?.(row.pk, left) ?? { may: left }), ...(why !== undefined && { why }) };
    });
  }
  return (row) => rightsOf.get(row.kind)?.(row) ?? { may: [] };
}

const isKey = (pk: unknown): pk is string | number => typeof pk === 'string' || typeof pk === 'number';
const isWrite = (right: string): boolean => right === 'change' || right === 'delete';

/** In words, for the rows that the caller may not write because of their use. */
async function obstaclesOf(
  kind: Resource,
  keys: readonly (string | number)[],
  context: AccessContext,
): Promise<ReadonlyMap<string | number, string>> {
  const obstacles = await findObstacles(kind, keys, context);
  const words = new Map<string | number, string>();
  for (const [pk, obstacle] of obstacles) words.set(pk, (await explain(kind, obstacle, context)).detail);
  return words;
}

function verbRights({ kind, owner }: Found, actor: Actor, holds: (permission: string) => boolean): Right[] {
  const rights = rightsWith(kind);
  const { visibility } = kind;
  if (visibility?.by === 'owner' && visibility.write !== 'permission')
    return owner === actor.user.pk || (actor.isSuperuser && visibility.write === 'owner') ? rights : [];
  return rights.filter((right) => holds(kind.permission(right)));
}

/** The rights that there are: those with an operation. */
const rightsWith = ({ verbs }: Resource): Right[] =>
  (['change', 'delete'] as const).filter((right) => verbs.includes(verbOf[right]));
