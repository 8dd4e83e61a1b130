import { type RawBuilder, sql } from 'kysely';

// Fragments over users, groups and roles that several resources need. `user` is an expression for the user's key.

/** Groups that make their members superusers: those marked so, and all below them. */
const superuserGroups = sql`with recursive superuser_groups(pk) as (
  select pk from groups where is_superuser union select g.pk from groups g join superuser_groups s on g.parent = s.pk
) select pk from superuser_groups`;

/** Whether a user is in a superuser group, directly or below one. Says nothing of whether the user is active. */
export const isSuperuserSql = (user: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`exists (select 1 from user_groups ug where ug."user" = ${user} and ug."group" in (${superuserGroups}))`;

/** The keys of all superusers, active or not: for finding them, where asking each user would take long. */
export const superusersSql = sql`select ug."user" from user_groups ug where ug."group" in (${superuserGroups})`;

/** The user's groups and all groups above them. */
export const groupsOfSql = (user: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`with recursive own_groups(pk) as (
    select "group" from user_groups where "user" = ${user}
    union select g.parent from groups g join own_groups o on g.pk = o.pk where g.parent is not null
  ) select pk from own_groups`;

/** These groups and all groups above them: whoever is in one has what all of them bring. */
export const groupsAboveSql = (groups: readonly string[]): RawBuilder<unknown> =>
  sql`with recursive above_groups(pk) as (
    select pk from groups where pk in (${sql.join(groups)})
    union select g.parent from groups g join above_groups a on g.pk = a.pk where g.parent is not null
  ) select pk from above_groups`;

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
