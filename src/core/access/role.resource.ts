import { text } from '../../resource/fields/text.ts';
import { defineResource } from '../../resource/resource.ts';

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
  fields: { name: text({ max: 150, unique: 'Role with this name already exists.', filter: true }) },
});
