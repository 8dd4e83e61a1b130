import { type RawBuilder, sql } from 'kysely';

// Shared SQL fragments over users, groups and roles. `user` is an expression for the user's key.

// `group_ancestors` has each group with itself and all groups above it. `cross join` makes SQLite join in this order.

/** Whether a user is in a superuser group, directly or through a parent group. Ignores whether the user is active. */
export const isSuperuserSql = (user: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (select 1 from user_groups ug cross join group_ancestors ga cross join groups g
    where ug."user" = ${user} and ga."group" = ug."group" and g.pk = ga.ancestor and g.is_superuser)`;

/** The keys of all superusers, active or not: for finding them without checking every user. */
export const superusersSql = sql`select ug."user" from groups g cross join group_ancestors ga cross join user_groups ug
  where g.is_superuser and ga.ancestor = g.pk and ug."group" = ga."group"`;

/** The user's groups and all groups above them. */
export const groupsOfSql = (user: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select ga.ancestor as pk from user_groups ug cross join group_ancestors ga
    where ug."user" = ${user} and ga."group" = ug."group"`;

/** The members of these groups and of all groups below them. */
export const membersSql = (groups: readonly string[]): RawBuilder<unknown> =>
  sql`select ug."user" from group_ancestors ga cross join user_groups ug
    where ga.ancestor in (${sql.join(groups)}) and ug."group" = ga."group"`;

/** These groups and all groups above them, whose rights their members inherit. */
export const groupsAboveSql = (groups: readonly string[]): RawBuilder<unknown> =>
  sql`select ancestor as pk from group_ancestors where "group" in (${sql.join(groups)})`;

/** The roles that a user has through groups and their ancestors. */
export const rolesOfSql = (user: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select gr.role from group_roles gr where gr."group" in (${groupsOfSql(user)})`;

/** The names of all permissions that a user holds globally. */
export const globalPermissionsSql = (user: RawBuilder<unknown>): RawBuilder<{ permission: string }> =>
  sql`select p.app_label || '.' || p.codename as permission from permissions p where p.pk in (
    select up.permission from user_permissions up where up."user" = ${user}
    union select rp.permission from role_permissions rp where rp.role in (${rolesOfSql(user)}))`;

/** The names of all permissions that a user holds on single objects. */
export const objectPermissionsSql = (user: RawBuilder<unknown>): RawBuilder<{ permission: string }> =>
  sql`select p.app_label || '.' || p.codename as permission from permissions p where p.pk in (
    select o.permission from user_object_permissions o where o."user" = ${user}
    union select o.permission from role_object_permissions o where o.role in (${rolesOfSql(user)}))`;

// Everything that users, groups or roles are granted: `holder`, `permission`, and `object_pk`, null if global.

/** Without the permission to view the keys of one's own tokens, which gives no access to other accounts. */
export const grantsOfUsersSql = (users: readonly number[]): RawBuilder<unknown> => {
  const keys = sql.join(users);
  const roles = sql`select ug."user" as holder, gr.role from user_groups ug
    cross join group_ancestors ga cross join group_roles gr
    where ug."user" in (${keys}) and ga."group" = ug."group" and gr."group" = ga.ancestor`;
  const granted = sql`select up."user" as holder, up.permission, cast(null as text) as object_pk
      from user_permissions up where up."user" in (${keys})
    union select uo."user", uo.permission, uo.object_pk from user_object_permissions uo where uo."user" in (${keys})
    union ${grantsByRolesSql(roles)}`;
  return sql`select g.holder, g.permission, g.object_pk from (${granted}) as g join permissions gp on gp.pk = g.permission
    where not (gp.codename = 'view_token_key' and exists (
      select 1 from tokens t where cast(t.pk as text) = g.object_pk and t."user" = g.holder))`;
};

export const grantsOfGroupsSql = (groups: readonly string[]): RawBuilder<unknown> =>
  grantsByRolesSql(sql`select ga."group" as holder, gr.role from group_ancestors ga cross join group_roles gr
    where ga."group" in (${sql.join(groups)}) and gr."group" = ga.ancestor`);

export const grantsOfRolesSql = (roles: readonly string[]): RawBuilder<unknown> =>
  grantsByRolesSql(sql`select pk as holder, pk as role from roles where pk in (${sql.join(roles)})`);

const grantsByRolesSql = (held: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select held.holder, rp.permission, cast(null as text) as object_pk from (${held}) as held
      cross join role_permissions rp where rp.role = held.role
    union select held.holder, ro.permission, ro.object_pk from (${held}) as held
      cross join role_object_permissions ro where ro.role = held.role`;
