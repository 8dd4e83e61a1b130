import { sql } from 'kysely';
import { isVisible } from '../../resource/access/access.ts';
import { defineResource } from '../../resource/define.ts';
import { booleanSchema, integerSchema, uuidSchema } from '../../resource/document/json-schema.ts';
import { text } from '../../resource/fields/text.ts';
import { fieldFilter, noSuchChoice } from '../../resource/list/query.ts';
import { parseKey } from '../../resource/read/read.ts';
import type { Filter } from '../../resource/resource.ts';
import { verboseMembers } from './model-verbose.ts';

const plain = text({ readOnly: true });

/** Permissions. Derived from the models, and read-only. */
export const permissionResource = defineResource({
  path: '/rbac/permissions/',
  param: 'id',
  key: 'int',
  keyName: 'id',
  model: 'svc_rbac.permission',
  schema: 'Permission',
  names: ['Permission', 'Permissions'],
  table: 'permissions',
  verbs: ['list', 'retrieve'],
  order: ['name'],
  search: ['codename', 'model', 'app_label', 'name'],
  fields: {
    name: plain,
    codename: text({ readOnly: true, filter: true }),
    model: plain,
    app_label: plain,
  },
  derived: {
    ...verboseMembers,
    is_held: {
      schema: { ...booleanSchema, description: 'Whether the caller holds it on all objects, and so may give it.' },
      from: ({ app_label, codename }, { call }) => call.actor?.holds(`${app_label}.${codename}`) ?? false,
    },
  },
  filters: {
    content_type__app_label: fieldFilter('app_label', plain),
    content_type__model: fieldFilter('model', plain),
    user: heldFilter('svc_core.user', 'user_permissions', 'user'),
    role: heldFilter('svc_rbac.role', 'role_permissions', 'role'),
  },
});

/** Filters by the global permissions of a user or role, if the caller may see the holder. */
function heldFilter(model: string, table: string, column: string): Filter {
  return {
    schema: column === 'user' ? integerSchema : uuidSchema,
    async condition({ texts, row, call, registry }) {
      const holders = registry.require(model);
      const key = parseKey(holders, texts.at(-1) ?? '');
      if (key === null || !(await isVisible(holders, key, call, registry))) {
        return { complaint: noSuchChoice };
      }
      return sql`${row.col('pk')} in (select permission from ${sql.table(table)} where ${sql.ref(column)} = ${key})`;
    },
  };
}
