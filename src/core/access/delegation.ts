import { type RawBuilder, sql } from 'kysely';
import { Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Actor } from '../../resource/access/actor.ts';
import type { Call } from '../../resource/call.ts';
import { grantsOfGroupsSql, grantsOfRolesSql, grantsOfUsersSql, isSuperuserSql, rolesOfSql } from './rights-sql.ts';

// Callers cannot grant permissions that they do not hold, and only superusers change superusers (privilege escalation).
// Calls without an actor are the server's own: operations have already refused anonymous requests.

/** Refuses unless the caller holds everything that membership in these groups grants. */
export async function checkMayGrantMembership(tx: Query, call: Call, groups: readonly string[]): Promise<void> {
  const { actor } = call;
  if (!actor || actor.isSuperuser || groups.length === 0) return;
  const { superusers, stronger } = await findUnreachableGroups(tx, actor, groups);
  if (superusers.size > 0 || stronger.size > 0)
    throw new Problem('permission_denied', 'Membership brings permissions that you do not hold.');
}

/** Refuses unless the caller holds every permission of these roles. */
export async function checkMayGrantRoles(tx: Query, call: Call, roles: readonly string[]): Promise<void> {
  const { actor } = call;
  if (!actor) return;
  if ((await findUnreachableRoles(tx, actor, roles)).size > 0)
    throw new Problem('permission_denied', 'The role holds permissions that you do not hold.');
}

export interface Grant {
  /** Primary key; `name` is `app.codename`. */
  readonly permission: number;
  readonly name: string;
  /** Null: a global grant. */
  readonly objectPk: string | null;
}

/** Refuses unless the caller holds the permission on that object, or globally for a global grant. */
export async function checkMayGrant(tx: Query, call: Call, { permission, name, objectPk }: Grant): Promise<void> {
  const { actor } = call;
  if (!actor || actor.holds(name)) return;
  if (objectPk === null) throw Problem.lacks(name, mustHold);
  const { rows } =
    await sql`select 1 from (select cast(${permission} as integer) as permission, cast(${objectPk} as text) as object_pk) as o where ${holdsSameSql(actor)}`.execute(
      tx,
    );
  if (rows.length === 0) throw Problem.lacks(name, mustHold);
}

const mustHold = 'Only those who hold a permission may grant it.';

/** Whether membership in one of these groups makes a user a superuser. */
export async function grantsSuperuser(tx: Query, groups: readonly string[]): Promise<boolean> {
  return (await superuserGroupsAmong(tx, groups)).size > 0;
}

/** Refuses unless the caller is a superuser, if the user is one. */
export async function checkMayTouchUser(tx: Query, call: Call, user: number): Promise<void> {
  const { actor } = call;
  if (!actor || actor.isSuperuser) return;
  if ((await superusersAmong(tx, [user])).size > 0)
    throw new Problem('permission_denied', 'Only superusers may change a superuser.');
}

/**
 * Refuses unless the caller holds every permission that the user holds. The one rule for anything that gives access to
 * an account (password, address, links, keys, state, impersonation): it prevents privilege escalation through other
 * accounts.
 */
export async function checkMayReachUser(tx: Query, { actor }: Pick<Call, 'actor'>, user: number): Promise<void> {
  if (!actor) return;
  const { superusers, stronger } = await findUnreachableUsers(tx, actor, [user]);
  if (superusers.has(user) || stronger.has(user))
    throw new Problem('permission_denied', 'This user holds permissions that you do not hold.');
}

/** Users or groups that delegation puts beyond an actor: none for superusers. */
export interface UnreachableObjects {
  readonly superusers: ReadonlySet<unknown>;
  /** The others with a permission that the actor does not hold. */
  readonly stronger: ReadonlySet<unknown>;
}

const none: UnreachableObjects = { superusers: new Set(), stronger: new Set() };

/** The users among these whom the actor may not reach. */
export function findUnreachableUsers(
  query: Query,
  actor: Actor,
  users: readonly number[],
): Promise<UnreachableObjects> {
  const others = users.filter((pk) => pk !== actor.user.pk);
  return findUnreachable(query, actor, others, superusersAmong, grantsOfUsersSql);
}

/** The groups among these to which the actor may not add members. */
export const findUnreachableGroups = (
  query: Query,
  actor: Actor,
  groups: readonly string[],
): Promise<UnreachableObjects> => findUnreachable(query, actor, groups, superuserGroupsAmong, grantsOfGroupsSql);

/** The roles among these that the actor may not assign to a group. */
export async function findUnreachableRoles(
  query: Query,
  actor: Actor,
  roles: readonly string[],
): Promise<ReadonlySet<unknown>> {
  if (actor.isSuperuser || roles.length === 0) return new Set();
  return holdersOfMore(query, actor, grantsOfRolesSql(roles));
}

/** The right on a group or a role to give it to others. */
export const giveRight = 'give';

async function findUnreachable<Key>(
  query: Query,
  actor: Actor,
  keys: readonly Key[],
  superusersOf: (query: Query, keys: readonly Key[]) => Promise<ReadonlySet<unknown>>,
  grantsSql: (keys: readonly Key[]) => RawBuilder<unknown>,
): Promise<UnreachableObjects> {
  if (actor.isSuperuser || keys.length === 0) return none;
  const superusers = await superusersOf(query, keys);
  const rest = keys.filter((key) => !superusers.has(key));
  const stronger = rest.length === 0 ? none.stronger : await holdersOfMore(query, actor, grantsSql(rest));
  return { superusers, stronger };
}

/** Those of these groups that make their members superusers. */
async function superuserGroupsAmong(query: Query, groups: readonly string[]): Promise<ReadonlySet<unknown>> {
  const { rows } = await sql<{ pk: string }>`select distinct ga."group" as pk from group_ancestors ga
    join groups g on g.pk = ga.ancestor where ga."group" in (${sql.join(groups)}) and g.is_superuser`.execute(query);
  return new Set(rows.map(({ pk }) => pk));
}

export async function superusersAmong(query: Query, users: readonly number[]): Promise<ReadonlySet<unknown>> {
  const { rows } = await sql<{ pk: number }>`select u.pk from users u
    where u.pk in (${sql.join(users)}) and ${isSuperuserSql(sql`u.pk`)}`.execute(query);
  return new Set(rows.map(({ pk }) => pk));
}

/** Refuses unless the actor may impersonate the user: by permission, and by the rule above. */
export async function checkMayImpersonate(tx: Query, actor: Actor, user: number): Promise<void> {
  if (actor.isSuperuser) return;
  const { rows } = await sql`select 1 from (${actor.objectsHolding(impersonatePermission, 'int')}) as held
    where held.pk = ${user}`.execute(tx);
  if (!actor.holds(impersonatePermission) && rows.length === 0) throw Problem.lacks(impersonatePermission);
  await checkMayReachUser(tx, { actor }, user);
}

export const impersonatePermission = 'svc_core.impersonate';

/**
 * The holders of these grants (`holder`, `permission`, and `object_pk`, null if global) who hold more than the actor.
 */
async function holdersOfMore(query: Query, actor: Actor, grants: RawBuilder<unknown>): Promise<ReadonlySet<unknown>> {
  const { rows } = await sql<{ pk: number; name: string }>`select p.pk, p.app_label || '.' || p.codename as name
    from permissions p where p.pk in (select o.permission from (${grants}) as o)`.execute(query);
  const lacking = rows.filter(({ name }) => !actor.holds(name)).map(({ pk }) => pk);
  if (lacking.length === 0) return new Set();
  const { rows: beyond } = await sql<{ holder: unknown }>`select distinct o.holder from (${grants}) as o
    where o.permission in (${sql.join(lacking)}) and (o.object_pk is null or not ${holdsSameSql(actor)})`.execute(
    query,
  );
  return new Set(beyond.map(({ holder }) => holder));
}

/** Whether the actor holds the permission of the grant `o` on its object, directly or through a role. */
const holdsSameSql = ({ user }: Actor): RawBuilder<boolean> =>
  sql`(exists (select 1 from user_object_permissions own where own."user" = ${user.pk}
      and own.permission = o.permission and own.object_pk = o.object_pk)
    or exists (select 1 from role_object_permissions own where own.role in (${rolesOfSql(sql`${user.pk}`)})
      and own.permission = o.permission and own.object_pk = o.object_pk))`;
