import { sql } from 'kysely';
import { defineResource } from '../../resource/define.ts';
import { text } from '../../resource/fields/text.ts';
import { stringSchema } from '../../resource/json-schema.ts';

/** A set of permissions that groups give to their members. */
export const roleResource = defineResource({
  path: '/rbac/roles/',
  param: 'uuid',
  key: 'uuid',
  model: 'svc_rbac.role',
  schema: 'Role',
  names: ['Role', 'Roles'],
  table: 'roles',
  order: ['name'],
  search: ['name'],
  fields: {
    name: text({ max: 150, unique: 'Role with this name already exists.', help: 'The name of the role; unique.' }),
  },
  filters: {
    group__name: {
      schema: stringSchema,
      condition: ({ texts, row }) =>
        sql`${row.col('pk')} in (select gr.role from group_roles gr join groups g on g.pk = gr."group" where g.name = ${texts.at(-1) ?? ''})`,
    },
  },
});
