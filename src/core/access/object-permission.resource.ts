import { type RawBuilder, sql } from 'kysely';
import type { Complaints } from '../../lib/problem.ts';
import type { Dialect } from '../../platform/db/dialect.ts';
import type { CorrectRights, RightsInput } from '../../resource/access/visibility.ts';
import { defineResource } from '../../resource/define.ts';
import { orNull, stringSchema } from '../../resource/document/json-schema.ts';
import { computed } from '../../resource/fields/computed.ts';
import { type Field, hidden, type RowAlias } from '../../resource/fields/field.ts';
import { ref } from '../../resource/fields/ref.ts';
import { text } from '../../resource/fields/text.ts';
import { fieldFilter } from '../../resource/list/query.ts';
import type { AfterWrite, Beside, CheckInput, Resource } from '../../resource/resource.ts';
import { checkMayGrant, checkMayTouchUser, superusersAmong } from './delegation.ts';
import { globalGrants } from './global-grants.ts';
import { roleHolders, userHolders } from './holder.ts';
import { verboseMembers } from './model-verbose.ts';
import { requireObjectKey } from './object-key.ts';

const maxPageSize = 10;

/** All resources. A function, because the list itself contains the resources defined here. */
type AllResources = () => readonly Resource[];

/**
 * Users' permissions on single objects. The assignment endpoints create them; here they are listed, moved and deleted.
 */
export const userObjectPermissions = (all: AllResources): Resource =>
  objectPermissions(all, {
    path: '/rbac/permissions/users/',
    model: 'svc_rbac.userobjectpermission',
    schema: 'ExtraUserObjectPermission',
    names: ['User Object Permission', 'User Object Permissions'],
    table: 'user_object_permissions',
    holder: { column: 'user', field: ref('svc_core.user', 'int', hidden) },
    filter: 'user_id',
    beside: globalGrants(userHolders, 'svc_rbac.view_userobjectpermission'),
  });

/** Roles' permissions on single objects. */
export const roleObjectPermissions = (all: AllResources): Resource =>
  objectPermissions(all, {
    path: '/rbac/permissions/roles/',
    model: 'svc_rbac.roleobjectpermission',
    schema: 'ExtraRoleObjectPermission',
    names: ['Role Object Permission', 'Role Object Permissions'],
    table: 'role_object_permissions',
    holder: { column: 'role', field: ref('svc_rbac.role', 'uuid', hidden) },
    filter: 'uuid',
    beside: globalGrants(roleHolders, 'svc_rbac.view_roleobjectpermission'),
  });

interface Holder {
  readonly path: string;
  readonly model: string;
  readonly schema: string;
  readonly names: readonly [string, string];
  readonly table: string;
  /** The hidden column for the holder. */
  readonly holder: { readonly column: 'user' | 'role'; readonly field: Field };
  /** The query parameter that filters by it. */
  readonly filter: string;
  readonly beside: Beside;
}

function objectPermissions(all: AllResources, { holder, filter, ...declared }: Holder): Resource {
  const { column, field } = holder;
  return defineResource({
    ...declared,
    param: 'id',
    key: 'int',
    keyName: 'id',
    verbs: ['list', 'retrieve', 'update', 'partial_update', 'destroy'],
    order: ['permission.codename'],
    page: {
      columns: ['name', 'object_description'],
      notInSearch: 'It has no name; the page of its holder shows it.',
    },
    search: ['permission.codename', 'permission.model', 'permission.app_label', 'object_pk'],
    maxPageSize,
    nameOf: (row) => `${row.app_label}.${row.codename} ${row.object_pk}`,
    fields: {
      codename: ofPermission('codename'),
      model: ofPermission('model'),
      app_label: ofPermission('app_label'),
      object_pk: text({ help: 'The key of the object the permission is held on.' }),
      name: ofPermission('name'),
      described: { ...computed(stringSchema, (row, dialect) => describe(all(), row, dialect)), writeOnly: true },
      permission: ref('svc_rbac.permission', 'int', hidden),
      [column]: field,
    },
    derived: {
      ...verboseMembers,
      object_description: {
        schema: orNull(stringSchema),
        from: (row, { call }) => (call.actor?.holds(`${row.app_label}.view_${row.model}`) ? row.described : null),
      },
    },
    filters: { [filter]: fieldFilter(column, field) },
    check: checkMove,
    afterWrite: checkTake,
    rightsOf: permissionRights,
  });
}

const ofPermission = (column: string): Field<string> =>
  computed(
    stringSchema,
    (row) => sql`(select ${sql.ref(`p.${column}`)} from permissions p where p.pk = ${row.col('permission')})`,
  );

type Grant = {
  object_pk: string;
  app_label: string;
  model: string;
  codename: string;
  permission: number;
  user?: number;
};

/** Moving a permission to another object requires holding it there. */
async function checkMove({ tx, call, registry, values, current }: CheckInput<Grant>): Promise<Complaints | null> {
  if (!current || values.object_pk === current.object_pk) return null;
  const model = `${current.app_label}.${current.model}`;
  values.object_pk = await requireObjectKey(tx, registry, model, values.object_pk);
  await checkMayGrant(tx, call, {
    permission: current.permission,
    name: `${current.app_label}.${current.codename}`,
    objectPk: values.object_pk,
  });
  if (current.user !== undefined) await checkMayTouchUser(tx, call, current.user);
  return null;
}

async function checkTake({ tx, call, verb, values }: AfterWrite<Grant>): Promise<void> {
  if (verb === 'destroy' && values.user !== undefined) await checkMayTouchUser(tx, call, values.user);
}

/** What the rules above leave of rights by permission. */
async function permissionRights({ actor, keys, valuesOf, query }: RightsInput): Promise<CorrectRights> {
  const holderOf = (key: unknown) => Number(valuesOf(key).user ?? 0);
  const users = actor.isSuperuser ? [] : keys.map(holderOf).filter((user) => user > 0);
  const superusers = users.length > 0 ? await superusersAmong(query, users) : new Set();
  return (key, may) => ({ may: superusers.has(holderOf(key)) ? [] : may });
}

const identifyingMembers = ['name', 'username', 'identifier', 'domain', 'slug', 'id'];

/** The name of a grant's object, whatever its model: one branch per model with names. */
function describe(resources: readonly Resource[], row: RowAlias, dialect: Dialect): RawBuilder<unknown> {
  const named = resources.flatMap((resource) => {
    const column = identifyingMembers.find((name) => resource.allFields[name]?.storage.in === 'column');
    return column === undefined ? [] : [{ resource, column }];
  });
  const branches = named.map(({ resource, column }) => {
    const other = resource.row(7);
    const key = dialect.keyFromText(row.col('object_pk'), resource.key === 'int' ? 'int' : resource.key);
    return sql`when ${sql.lit(resource.model)} then (select ${dialect.toText(other.col(column))} from ${resource.from(7)} where ${other.col('pk')} = ${key})`;
  });
  return sql`case (select p.app_label || '.' || p.model from permissions p where p.pk = ${row.col('permission')}) ${sql.join(branches, sql` `)} end`;
}
