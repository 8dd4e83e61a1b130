import { sql } from 'kysely';
import { heldAmong, visibleOrNone } from '../../resource/access/access.ts';
import type { CorrectRights, RightsInput } from '../../resource/access/visibility.ts';
import { defineResource } from '../../resource/define.ts';
import { stringSchema } from '../../resource/document/json-schema.ts';
import { text } from '../../resource/fields/text.ts';
import type { Registry } from '../../resource/resource.ts';
import { findUnreachableRoles, giveRight } from './delegation.ts';
import { roleHolders } from './holder.ts';

/** Adds the rights to write the permissions of a role, and to give it to a group. */
async function roleRights({ actor, keys, registry, query }: RightsInput<Registry>): Promise<CorrectRights> {
  const beyond = await findUnreachableRoles(query, actor, keys.map(String));
  const { toAssign, toUnassign, model } = roleHolders;
  const holds = await heldAmong(actor, [...toAssign, ...toUnassign], registry.require(model), keys, query);
  return (key, may) => {
    const isHeld = (permission: string) => holds(permission, key);
    return {
      may: [
        ...may,
        ...(toAssign.every(isHeld) ? ['assign'] : []),
        ...(toUnassign.every(isHeld) ? ['unassign'] : []),
        ...(beyond.has(key) ? [] : [giveRight]),
      ],
    };
  };
}

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
    name: text({
      max: 150,
      unique: 'Role with this name already exists.',
      help: 'The name of the role; unique.',
      isObvious: true,
    }),
  },
  rightsOf: roleRights,
  filters: {
    group__name: {
      schema: stringSchema,
      // A role does not show its group: the error must not disclose one that the caller may not view.
      async condition({ texts, row, call, registry }) {
        const groups = registry.require('svc_core.group');
        const visible = await visibleOrNone(groups, call, registry);
        if (visible === 'none') return sql`1 = 0`;
        const named = sql`${groups.row().col('name')} = ${texts.at(-1) ?? ''}`;
        return sql`${row.col('pk')} in (select gr.role from group_roles gr where gr."group" in
          (select ${groups.row().col('pk')} from ${groups.from()} where ${named} and ${visible ?? sql`1 = 1`}))`;
      },
    },
  },
});
