import { type RawBuilder, sql } from 'kysely';

// Fragments over users, groups and roles that several resources need. `user` is an expression for the user's key.

// `group_ancestors` holds each group with itself and all groups above it. `cross join` fixes the order of the joins on SQLite: from the user on.

/** Whether a user is in a superuser group, directly or below one. Says nothing of whether the user is active. */
export const isSuperuserSql = (user: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (select 1 from user_groups ug cross join group_ancestors ga cross join groups g
    where ug."user" = ${user} and ga."group" = ug."group" and g.pk = ga.ancestor and g.is_superuser)`;

/** The keys of all superusers, active or not: for finding them, where asking each user would take long. */
export const superusersSql = sql`select ug."user" from groups g cross join group_ancestors ga cross join user_groups ug
  where g.is_superuser and ga.ancestor = g.pk and ug."group" = ga."group"`;

/** The user's groups and all groups above them. */
export const groupsOfSql = (user: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select ga.ancestor as pk from user_groups ug cross join group_ancestors ga
    where ug."user" = ${user} and ga."group" = ug."group"`;

/** These groups and all groups above them: whoever is in one has what all of them bring. */
export const groupsAboveSql = (groups: readonly string[]): RawBuilder<unknown> =>
  sql`select ancestor as pk from group_ancestors where "group" in (${sql.join(groups)})`;

/** The roles a user has through groups and the groups above them. */
export const rolesOfSql = (user: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select gr.role from group_roles gr where gr."group" in (${groupsOfSql(user)})`;

/** The names of all permissions a user holds on every object. */
export const globalPermissionsSql = (user: RawBuilder<unknown>): RawBuilder<{ permission: string }> =>
  sql`select p.app_label || '.' || p.codename as permission from permissions p where p.pk in (
    select up.permission from user_permissions up where up."user" = ${user}
    union select rp.permission from role_permissions rp where rp.role in (${rolesOfSql(user)}))`;

/** The names of all permissions a user holds on single objects. */
export const objectPermissionsSql = (user: RawBuilder<unknown>): RawBuilder<{ permission: string }> =>
  sql`select p.app_label || '.' || p.codename as permission from permissions p where p.pk in (
    select o.permission from user_object_permissions o where o."user" = ${user}
    union select o.permission from role_object_permissions o where o.role in (${rolesOfSql(user)}))`;
