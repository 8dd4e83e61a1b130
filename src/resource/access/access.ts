import { type RawBuilder, sql } from 'kysely';
import { chunksOf } from '../../lib/chunks.ts';
import { Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { keysPerStatement } from '../../platform/db/keys-per-statement.ts';
import { type Call, requireActor } from '../call.ts';
import type { Row } from '../fields/field.ts';
import type { AccessContext, Registry, Resource } from '../resource.ts';
import type { Actor } from './actor.ts';
import { notImpersonating } from './credentials.ts';

/** A loaded row carries its owner's key under this name. */
export const ownerColumn = '$owner';

/** The condition for the rows that the caller may see; null if that is every row. Throws if the caller may see none. */
export async function visibleRows(
  resource: Resource,
  call: Call,
  registry: Registry,
): Promise<RawBuilder<unknown> | null> {
  const actor = requireActor(call);
  const row = resource.row();
  const visibility = resource.visibility ?? { by: 'permission' };
  switch (visibility.by) {
    case 'anyone signed in':
      return null;
    case 'owner': {
      const fixed = visibility.always?.(row, call) ?? null;
      const own = actor.isSuperuser ? null : sql`${row.col(visibility.column)} = ${actor.user.pk}`;
      return bothOf(fixed, own);
    }
    case 'superuser':
      if (!actor.isSuperuser) throw new Problem('permission_denied', onlySuperusers);
      return null;
    case 'rule':
      return visibility.where(actor, row, call);
    case 'permission': {
      const fixed = (await visibility.always?.(row, call)) ?? null;
      return bothOf(fixed, await heldRows(resource, actor, call, registry));
    }
  }
}

/** The same, but returns `none` instead of throwing. */
export async function visibleOrNone(
  resource: Resource,
  call: Call,
  registry: Registry,
): Promise<RawBuilder<unknown> | null | 'none'> {
  try {
    return await visibleRows(resource, call, registry);
  } catch (error) {
    if (error instanceof Problem) return 'none';
    throw error;
  }
}

type Condition = RawBuilder<unknown> | null;

const bothOf = (one: Condition, other: Condition): Condition =>
  one && other ? sql`${one} and ${other}` : (one ?? other);

/** Rows on which `view` is held. For a family, also those of kinds that the caller may view. */
async function heldRows(
  resource: Resource,
  actor: Actor,
  call: Call,
  registry: Registry,
): Promise<RawBuilder<unknown> | null> {
  const permission = resource.permission('view');
  if (actor.holds(permission)) return null;
  const row = resource.row();
  const kinds = registry.kinds(resource.model);
  const open = kinds.filter((kind) => actor.holds(kind.permission('view'))).map(({ model }) => model);
  const permissions = [permission, ...kinds.map((kind) => kind.permission('view'))];
  const keys = permissions.map((name) => actor.objectsHolding(name, resource.key));
  if (open.length === 0) {
    const { rows } = await sql`select 1 from (${sql.join(keys, sql` union all `)}) as held limit 1`.execute(
      call.db.read,
    );
    if (rows.length === 0) throw Problem.lacks(permission);
  }
  const conditions = keys.map((subquery) => sql`${row.col('pk')} in (${subquery})`);
  if (open.length > 0) conditions.push(sql`${row.col('kind')} in (${sql.join(open)})`);
  return sql`(${sql.join(conditions, sql` or `)})`;
}

/** Whether the caller may see the object with this key. */
export async function isVisible(
  resource: Resource,
  pk: string | number,
  call: Call,
  registry: Registry,
): Promise<boolean> {
  try {
    const visible = await visibleRows(resource, call, registry);
    const row = resource.row();
    const { rows } =
      await sql`select 1 from ${resource.from()} where ${row.col('pk')} = ${pk}${visible ? sql` and ${visible}` : sql``}`.execute(
        call.db.read,
      );
    return rows.length > 0;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** Those of these objects that the caller may not see. */
export async function hiddenAmong(
  resource: Resource,
  keys: readonly (string | number)[],
  { call, registry, tx }: AccessContext,
): Promise<readonly (string | number)[]> {
  const visible = keys.length === 0 ? null : await visibleOrNone(resource, call, registry);
  if (visible === null) return [];
  if (visible === 'none') return keys;
  const key = resource.row().col('pk');
  const seen = new Set<string | number>();
  for (const some of chunksOf(keys, keysPerStatement)) {
    const { rows } = await sql<{ pk: string | number }>`select ${key} as pk from ${resource.from()}
      where ${key} in (${sql.join(some)}) and ${visible}`.execute(tx);
    for (const { pk } of rows) seen.add(pk);
  }
  return keys.filter((pk) => !seen.has(pk));
}

/** Whether the caller holds each of these permissions everywhere. */
export const holdsAll = (actor: Actor, permissions: readonly string[]): boolean =>
  permissions.every((permission) => actor.holds(permission));

/** Whether the caller holds a permission everywhere or on this object. */
export async function holdsOn(
  actor: Actor,
  permission: string,
  resource: Resource,
  pk: unknown,
  db: Query,
): Promise<boolean> {
  if (actor.holds(permission)) return true;
  const { rows } =
    await sql`select 1 from (${actor.objectsHolding(permission, resource.key)}) as held where held.pk = ${pk}`.execute(
      db,
    );
  return rows.length > 0;
}

/** Whether the caller holds a permission on one of these rows; a statement, or none if all are held globally. */
export async function heldAmong(
  actor: Actor,
  permissions: readonly string[],
  resource: Resource,
  keys: readonly unknown[],
  db: Query,
): Promise<(permission: string, key: unknown) => boolean> {
  const onSome = permissions.filter((permission) => !actor.holds(permission));
  const held = new Map(onSome.map((permission) => [permission, new Set<unknown>()]));
  if (keys.length > 0 && onSome.length > 0) {
    const parts = onSome.map(
      (permission, at) => sql`select ${sql.lit(at)} as part, held.pk
        from (${actor.objectsHolding(permission, resource.key)}) as held where held.pk in (${sql.join(keys)})`,
    );
    const { rows } = await sql<{ part: number; pk: unknown }>`${sql.join(parts, sql` union all `)}`.execute(db);
    for (const { part, pk } of rows) held.get(onSome[part] ?? '')?.add(pk);
  }
  return (permission, key) => held.get(permission)?.has(key) ?? actor.holds(permission);
}

/** Refuses all but superusers. */
export function checkSuperuser(actor: Actor): void {
  if (!actor.isSuperuser)
    throw new Problem('permission_denied', 'Only superusers may do this: it decides how people sign in.');
}

export function checkMayAdd(resource: Resource, call: Call): Actor {
  const actor = requireActor(call);
  if (!holdsAdd(resource, actor))
    throw resource.visibility?.by === 'superuser'
      ? new Problem('permission_denied', onlySuperusers)
      : Problem.lacks(resource.permission('add'));
  if (isAlwaysInUse(resource)) checkSuperuser(actor);
  return actor;
}

/** Whether `checkMayAdd` passes. */
export const mayAdd = (resource: Resource, actor: Actor): boolean =>
  holdsAdd(resource, actor) && (!isAlwaysInUse(resource) || actor.isSuperuser);

/** Whether users sign in through each of its rows, even a new one. */
export const isAlwaysInUse = ({ signsIn }: Resource): boolean => signsIn === 'always';

const onlySuperusers = 'Only superusers may do this.';

const isOpenToAll = ({ visibility }: Resource): boolean =>
  visibility?.by === 'owner' && visibility.create === 'anyone signed in';

function holdsAdd(resource: Resource, actor: Actor): boolean {
  if (isOpenToAll(resource)) return true;
  return resource.visibility?.by === 'superuser' ? actor.isSuperuser : actor.holds(resource.permission('add'));
}

/** The kind of a row of a family. */
export const kindOf = ({ kind }: Row, registry: Registry): Resource | undefined =>
  typeof kind === 'string' ? registry.find(kind) : undefined;

/**
 * Refuses impersonators to write the account that they act as: the user, and what the user owns (links, consents,
 * sessions). Such a change would outlast the impersonation.
 */
export function checkNotImpersonated(resource: Resource, current: Row, actor: Actor): void {
  if (!actor.impersonator) return;
  const owner = resource.model === 'svc_core.user' ? current[resource.keyName ?? 'pk'] : current[ownerColumn];
  if (owner === actor.user.pk) throw new Problem('permission_denied', notImpersonating);
}

/** The same for a row that is about to be theirs. */
export function checkCreatesNothingImpersonated({ visibility }: Resource, values: Row, actor: Actor | null): void {
  if (!actor?.impersonator || visibility?.by !== 'owner') return;
  if (values[visibility.column] === actor.user.pk) throw new Problem('permission_denied', notImpersonating);
}

/** Refuses callers without the permission to change or delete a visible row. Checks nothing else. */
export async function checkHoldsWrite(
  resource: Resource,
  verb: 'change' | 'delete',
  current: Row,
  { call, registry, tx }: AccessContext,
): Promise<void> {
  const actor = requireActor(call);
  checkNotImpersonated(resource, current, actor);
  const { visibility } = resource;
  if (visibility?.by === 'owner' && visibility.write !== 'permission') {
    const isOwner = current[ownerColumn] === actor.user.pk;
    if (isOwner || (actor.isSuperuser && visibility.write === 'owner')) return;
    throw new Problem('permission_denied', 'Only its owner may do this.');
  }
  // A row of a family is written with the permission for its kind.
  const kind = kindOf(current, registry);
  for (const owner of kind && kind !== resource ? [resource, kind] : [resource]) {
    if (await holdsOn(actor, owner.permission(verb), owner, current[resource.keyName ?? 'pk'], tx)) return;
  }
  throw Problem.lacks((kind ?? resource).permission(verb));
}
