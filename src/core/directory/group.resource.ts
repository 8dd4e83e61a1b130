import { sql } from 'kysely';
import { defineResource } from '../../resource/define.ts';
import { integerSchema, orNull, stringSchema } from '../../resource/document/json-schema.ts';
import { computed, nestedMany } from '../../resource/fields/computed.ts';
import { ref, refs } from '../../resource/fields/ref.ts';
import { boolean } from '../../resource/fields/scalar.ts';
import { json } from '../../resource/fields/structured.ts';
import { text } from '../../resource/fields/text.ts';
import { giveRight } from '../access/delegation.ts';
import { groupsOfSql } from '../access/rights-sql.ts';
import { attributesFilter, linkedFilter } from './directory-filters.ts';
import { addUserAction, removeUserAction } from './group-members.ts';
import { groupNumber } from './group-number.ts';
import { afterGroupWrite, checkGroup, groupRights } from './group-rules.ts';

const members = { table: 'user_groups', own: 'group', other: 'user' };
const roles = { table: 'group_roles', own: 'group', other: 'role' };

export const groupResource = defineResource({
  path: '/core/groups/',
  param: 'group_uuid',
  key: 'uuid',
  model: 'svc_core.group',
  schema: 'Group',
  names: ['Group', 'Groups'],
  table: 'groups',
  order: ['name'],
  page: { columns: ['name', 'member_count', 'parent', 'is_superuser', 'roles'] },
  search: ['name'],
  check: checkGroup,
  afterWrite: afterGroupWrite,
  rightsOf: groupRights,
  actions: [addUserAction, removeUserAction],
  filters: {
    attributes: attributesFilter,
    members_by_pk: linkedFilter(members, 'svc_core.user', 'pk', 'int'),
    members_by_username: linkedFilter(members, 'svc_core.user', 'username', 'name'),
  },
  nestedPrivacy: {
    members: ['users', 'users_obj', 'attributes', 'roles', 'roles_obj'],
    ownRows: ({ user }) => groupsOfSql(sql`${user.pk}`),
  },
  fields: {
    name: text({
      unique: 'This field must be unique.',
      filter: true,
      help: 'The name of the group; unique.',
      isObvious: true,
    }),
    is_superuser: boolean({
      default: false,
      filter: true,
      limits: { only: 'superusers' },
      help: 'Whether members are superusers.',
      isObvious: true,
    }),
    parent: ref('svc_core.group', 'uuid', {
      nullable: true,
      limits: { takes: giveRight },
      help: 'The group above: its roles and attributes hold for this group too.',
    }),
    parent_name: computed(
      orNull(stringSchema),
      (row) => sql`(select p.name from groups p where p.pk = ${row.col('parent')})`,
    ),
    users: refs('svc_core.user', 'int', {
      ...members,
      isSet: true,
      needs: 'view',
      resetOnPut: true,
      help: 'Who belongs to the group.',
      isObvious: true,
    }),
    users_obj: nestedMany('svc_core.user', members, { view: 'member', order: 'username', unless: 'include_users' }),
    attributes: json({
      default: () => ({}),
      help: 'Custom attributes that members inherit unless they have values of their own.',
    }),
    roles: refs('svc_rbac.role', 'uuid', {
      ...roles,
      isSet: true,
      limits: { takes: giveRight },
      help: 'Roles that members hold.',
      isObvious: true,
    }),
    roles_obj: nestedMany('svc_rbac.role', roles, { order: 'name' }),
  },
  derived: {
    num_pk: { schema: integerSchema, from: ({ pk }) => groupNumber(pk) },
    // From the keys, which are read anyway and are hidden where members are.
    member_count: { schema: integerSchema, from: ({ users }) => users.length },
  },
  views: {
    simple: {
      schema: 'UserGroup',
      fields: ['pk', 'num_pk', 'name', 'is_superuser', 'parent', 'parent_name', 'attributes'],
    },
  },
});
