import { type RawBuilder, sql } from 'kysely';
import { Problem } from '../lib/problem.ts';
import type { Query } from '../platform/db/database.ts';
import type { Dialect } from '../platform/db/dialect.ts';
import { heldAmong } from '../resource/access/access.ts';
import { checkMayChange } from '../resource/access/may-write.ts';
import type { Whole } from '../resource/access/reach.ts';
import { findObstacles } from '../resource/access/sign-in-obstacles.ts';
import type { CorrectRights, RightsInput } from '../resource/access/visibility.ts';
import type { Field, RowAlias } from '../resource/fields/field.ts';
import { missingObject, ref } from '../resource/fields/ref.ts';
import { canonicalUuid, isUuid } from '../resource/fields/scalar.ts';
import { noSuchChoice } from '../resource/list/query.ts';
import type { CheckInput, Filter, Registry, Resource } from '../resource/resource.ts';

/** All resources. A function, because they exist only once the server is composed. */
export type Resources = () => readonly Resource[];

/** Targets whose key differs from their object's. Callers use the object's key. */
const keyedApart = (resources: Resources): { table: RawBuilder<unknown>; column: RawBuilder<unknown> }[] =>
  resources().flatMap(({ target, rootTable }) =>
    target && target !== 'pk' ? [{ table: sql.table(rootTable), column: sql.ref(target) }] : [],
  );

export async function storeTarget(tx: Query, key: string, model: string): Promise<void> {
  await sql`insert into policy_targets (pk, model) values (${key}, ${model})`.execute(tx);
}

const plain = ref('svc_policies.policybindingmodel', 'uuid', {
  help: 'What the binding guards: a flow, application, source, stage in a flow or another target.',
});

/** A binding's target: stored by the target's key, shown by the key of its object. */
export const targetField = (resources: Resources): Field<string> => ({
  ...plain,
  kind: 'target',
  storage: { in: 'column', type: 'uuid', shownAs: (row) => ownKey(row, resources) },
});

function ownKey(row: RowAlias, resources: Resources): RawBuilder<unknown> {
  const target = row.col('target');
  const own = keyedApart(resources).map(
    ({ table, column }) => sql`(select o.pk from ${table} o where o.${column} = ${target})`,
  );
  return sql`coalesce(${sql.join([...own, target])})`;
}

/** No statement nests its objects as deep. */
const depth = 10;

/** The name of a binding's target. */
export function targetName(row: RowAlias, resources: Resources, dialect: Dialect): RawBuilder<unknown> {
  const names = resources().flatMap(({ target, family, allFields, ...resource }) => {
    const { storage } = allFields.named ?? allFields.name ?? {};
    if (!target || family || !storage) return [];
    const other = resource.row(depth);
    const name = storage.in === 'query' ? storage.select(other, dialect) : other.col('name');
    return [sql`(select ${name} from ${resource.from(depth)} where ${other.col(target)} = ${row.col('target')})`];
  });
  return sql`coalesce(${sql.join(names)}, '')`;
}

/** Resolves keys of targets or of their objects to keys of targets, in one statement. */
async function resolveTargets(
  keys: readonly string[],
  { resources }: Registry,
  query: Query,
): Promise<Map<string, string>> {
  const given = sql.join(keys);
  const apart = keyedApart(() => resources).map(
    ({ table, column }) => sql`select pk as given, ${column} as pk from ${table} where pk in (${given})`,
  );
  const own = sql`select pk as given, pk from policy_targets where pk in (${given})`;
  const { rows } = await sql<{ given: string; pk: string }>`${sql.join([own, ...apart], sql` union all `)}`.execute(
    query,
  );
  return new Map(rows.map((row) => [row.given, row.pk]));
}

/** The key of the target; null if there is none. */
export async function resolveTarget(key: string, registry: Registry, query: Query): Promise<string | null> {
  return (await resolveTargets([key], registry, query)).get(key) ?? null;
}

async function objectsOfTargets(
  resource: Resource,
  targets: readonly (string | null)[],
  query: Query,
): Promise<readonly { readonly pk: string; readonly target: string }[]> {
  const row = resource.row();
  const target = row.col(resource.target ?? 'pk');
  const { rows } = await sql<{ pk: string; target: string }>`select ${row.col('pk')} as pk, ${target} as target
    from ${resource.from()} where ${target} in (${sql.join(targets)})`.execute(query);
  return rows;
}

/** Checks permission to change the object of a target. The key may be the target's or the object's own. */
export async function checkMayChangeTarget(
  { tx, call, registry }: Pick<CheckInput, 'tx' | 'call' | 'registry'>,
  key: unknown,
  isNew = false,
): Promise<void> {
  const { actor } = call;
  if (!actor || actor.isSuperuser) return;
  const target = await resolveTarget(String(key), registry, tx);
  const { rows } = await sql<{ model: string }>`select model from policy_targets where pk = ${target}`.execute(tx);
  const resource = registry.find(rows[0]?.model ?? '');
  if (!resource?.target) throw new Problem('permission_denied');
  const lacking = isNew && (resource.bindingNeeds ?? []).find((permission) => !actor.holds(permission));
  if (lacking) throw Problem.lacks(lacking);
  const objects = await objectsOfTargets(resource, [target], tx);
  const [object] = objects;
  if (!object) throw new Problem('permission_denied');
  await checkMayChange(actor, resource, object.pk, { call, registry, tx });
}

/** What bindings are parts of: the objects of their targets. */
export async function boundObjects(
  keys: readonly (string | number)[],
  registry: Registry,
  query: Query,
): Promise<Whole[]> {
  const { rows } = await sql<{ part: string; target: string; model: string }>`select b.pk as part, b.target, t.model
    from policy_bindings b join policy_targets t on t.pk = b.target where b.pk in (${sql.join(keys)})`.execute(query);
  const wholes: Whole[] = [];
  for (const [model, bindings] of Map.groupBy(rows, (row) => row.model)) {
    const resource = registry.find(model);
    if (!resource?.target) continue;
    const objects = await objectsOfTargets(
      resource,
      bindings.map(({ target }) => target),
      query,
    );
    const pks = new Map(objects.map(({ pk, target }) => [target, pk]));
    for (const { part, target } of bindings) {
      const pk = pks.get(target);
      if (pk !== undefined) wholes.push({ part, model, pk });
    }
  }
  return wholes;
}

/** What this rule leaves of rights to bindings: a statement for the targets, and one for each of their models. */
export async function bindingRights({
  actor,
  keys,
  registry,
  query,
  call,
}: RightsInput<Registry>): Promise<CorrectRights> {
  if (actor.isSuperuser || keys.length === 0) return (_, may) => ({ may });
  const { rows } = await sql<{ pk: string; target: string; model: string }>`select b.pk, b.target, t.model
    from policy_bindings b join policy_targets t on t.pk = b.target where b.pk in (${sql.join(keys)})`.execute(query);
  const open = new Set<unknown>();
  for (const [model, bindings] of Map.groupBy(rows, (row) => row.model)) {
    const resource = registry.find(model);
    if (!resource?.target) continue;
    const targets = bindings.map(({ target }) => target);
    const objects = await objectsOfTargets(resource, targets, query);
    const change = resource.permission('change');
    const objectKeys = objects.map(({ pk }) => pk);
    const holds = await heldAmong(actor, [change], resource, objectKeys, query);
    const obstacles = await findObstacles(resource, objectKeys, { call, registry, tx: query });
    const isOpen = (pk: string) => holds(change, pk) && !obstacles.has(pk);
    const held = new Set(objects.filter(({ pk }) => isOpen(pk)).map(({ target }) => target));
    for (const { pk, target } of bindings) if (held.has(target)) open.add(pk);
  }
  return (key, may) => ({ may: open.has(key) ? may : [] });
}

export const missingTarget = (key: string) => ({ target: [missingObject(key)] });

/** Filters by one target, or by several. */
export const targetFilter = (many: boolean): Filter => ({
  schema: many ? { type: 'array', items: plain.schema } : plain.schema,
  many,
  async condition({ texts, row, call, registry }) {
    const given = many ? texts.flatMap((text) => text.split(',')) : texts.slice(-1);
    const malformed = given.find((text) => !isUuid(text));
    if (malformed !== undefined) return { complaint: `“${malformed}” is not a valid UUID.` };
    const keys = given.map(canonicalUuid);
    const resolved = await resolveTargets(keys, registry, call.db.read);
    if (keys.some((key) => !resolved.has(key))) return { complaint: noSuchChoice };
    return sql`${row.col('target')} in (${sql.join([...resolved.values()])})`;
  },
});
