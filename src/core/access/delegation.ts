import { type RawBuilder, sql } from 'kysely';
import { Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Actor } from '../../resource/actor.ts';
import type { Call } from '../../resource/call.ts';
import { globalPermissionsSql, groupsAboveSql, isSuperuserSql, rolesOfSql } from './rights-sql.ts';

// Nobody grants what they do not hold, and only superusers change superusers. Calls without an actor are the server's
// own: operations have already refused anonymous requests.

/** Refuses unless the caller holds everything that membership in these groups grants. */
export async function checkMayGrantMembership(tx: Query, call: Call, groups: readonly string[]): Promise<void> {
  const { actor } = call;
  if (!actor || actor.isSuperuser || groups.length === 0) return;
  if (await bringsSuperuser(tx, groups)) throw new Problem('permission_denied');
  await checkHoldsRoles(tx, actor, sql`select role from group_roles where "group" in (${groupsAboveSql(groups)})`);
}

/** Refuses unless the caller holds every permission of these roles. */
export async function checkMayGrantRoles(tx: Query, call: Call, roles: readonly string[]): Promise<void> {
  const { actor } = call;
  if (!actor || actor.isSuperuser || roles.length === 0) return;
  await checkHoldsRoles(tx, actor, sql`select pk from roles where pk in (${sql.join(roles)})`);
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
  if (objectPk === null) throw new Problem('permission_denied');
  const { rows } =
    await sql`select 1 from (select cast(${permission} as integer) as permission, cast(${objectPk} as text) as object_pk) as o where ${holdsSameSql(actor)}`.execute(
      tx,
    );
  if (rows.length === 0) throw new Problem('permission_denied');
}

/** Whether membership in one of these groups makes a user a superuser. */
export async function bringsSuperuser(tx: Query, groups: readonly string[]): Promise<boolean> {
  const { rows } =
    await sql`select 1 from groups where is_superuser and pk in (${groupsAboveSql(groups)}) limit 1`.execute(tx);
  return rows.length > 0;
}

/** Refuses unless the caller is a superuser, if the user is one. */
export async function checkMayTouchUser(tx: Query, call: Call, user: number): Promise<void> {
  const { actor } = call;
  if (!actor || actor.isSuperuser) return;
  if (await isSuperuser(tx, user)) throw new Problem('permission_denied');
}

/**
 * Refuses unless the caller holds every permission that the user holds. The one rule for anything that gives access to
 * an account (password, address, links, keys, state, impersonation): it prevents privilege escalation through other
 * accounts.
 */
export async function checkMayReachUser(tx: Query, { actor }: Pick<Call, 'actor'>, user: number): Promise<void> {
  if (!actor || actor.isSuperuser || actor.user.pk === user) return;
  if (await isSuperuser(tx, user)) throw new Problem('permission_denied', holdsMore);
  const pk = sql`${user}`;
  const { rows: everywhere } = await globalPermissionsSql(pk).execute(tx);
  // The permission to view the keys of one's own tokens gives no power over others.
  const { rows: beyond } = await sql<{
    permission: string;
  }>`select distinct p.app_label || '.' || p.codename as permission
    from (select permission, object_pk from user_object_permissions where "user" = ${user}
      union select permission, object_pk from role_object_permissions where role in (${rolesOfSql(pk)})) as o
    join permissions p on p.pk = o.permission
    where not ${holdsSameSql(actor)} and not (p.codename = 'view_token_key' and exists (
      select 1 from tokens t where cast(t.pk as text) = o.object_pk and t."user" = ${user}))`.execute(tx);
  if ([...everywhere, ...beyond].some(({ permission }) => !actor.holds(permission)))
    throw new Problem('permission_denied', holdsMore);
}

const holdsMore = 'This user holds permissions that you do not hold.';

async function isSuperuser(tx: Query, user: number): Promise<boolean> {
  const { rows } = await sql`select 1 from users u where u.pk = ${user} and ${isSuperuserSql(sql`u.pk`)}`.execute(tx);
  return rows.length > 0;
}

/** Refuses unless the actor may impersonate the user: by permission, and by the rule above. */
export async function checkMayActAs(tx: Query, actor: Actor, user: number): Promise<void> {
  if (actor.isSuperuser) return;
  const { rows } = await sql`select 1 from (${actor.objectsHolding(actAsOthers, 'int')}) as held
    where held.pk = ${user}`.execute(tx);
  if (!actor.holds(actAsOthers) && rows.length === 0) throw new Problem('permission_denied');
  await checkMayReachUser(tx, { actor }, user);
}

export const actAsOthers = 'svc_core.impersonate';

async function checkHoldsRoles(tx: Query, actor: Actor, roles: RawBuilder<unknown>): Promise<void> {
  const name = sql<string>`p.app_label || '.' || p.codename`;
  const { rows } = await sql<{ pk: number; name: string; isGlobal: number }>`
    select p.pk, ${name} as name, 1 as "isGlobal" from permissions p where p.pk in
      (select permission from role_permissions where role in (${roles}))
    union select p.pk, ${name} as name, 0 as "isGlobal" from permissions p where p.pk in
      (select permission from role_object_permissions where role in (${roles}))`.execute(tx);
  const lacking = rows.filter((row) => !actor.holds(row.name));
  if (lacking.some(({ isGlobal }) => isGlobal === 1)) throw new Problem('permission_denied');
  if (lacking.length === 0) return;
  const { rows: beyond } = await sql`select 1 from role_object_permissions o where o.role in (${roles})
    and o.permission in (${sql.join(lacking.map(({ pk }) => pk))}) and not (${holdsSameSql(actor)}) limit 1`.execute(
    tx,
  );
  if (beyond.length > 0) throw new Problem('permission_denied');
}

/** Whether the actor holds the permission of the grant `o` on its object, directly or through a role. */
const holdsSameSql = ({ user }: Actor): RawBuilder<boolean> =>
  sql`(exists (select 1 from user_object_permissions own where own."user" = ${user.pk}
      and own.permission = o.permission and own.object_pk = o.object_pk)
    or exists (select 1 from role_object_permissions own where own.role in (${rolesOfSql(sql`${user.pk}`)})
      and own.permission = o.permission and own.object_pk = o.object_pk))`;
