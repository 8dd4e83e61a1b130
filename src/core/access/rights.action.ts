import { sql } from 'kysely';
import { Problem } from '../../lib/problem.ts';
import { requireActor } from '../../resource/call.ts';
import { actionOn } from '../../resource/define.ts';
import {
  arrayOf,
  booleanSchema,
  type JsonSchema,
  objectSchema,
  orNull,
  stringSchema,
} from '../../resource/document/json-schema.ts';
import { groupsOfSql } from './rights-sql.ts';

interface Named {
  readonly pk: string;
  readonly name: string;
}

interface GrantRow {
  readonly permission: string;
  readonly name: string;
  readonly model: string;
  readonly object_pk: string | null;
  readonly role: string | null;
  readonly role_name: string | null;
  readonly group: string | null;
  readonly group_name: string | null;
}

const named: JsonSchema = objectSchema({ pk: stringSchema, name: stringSchema });
const maxGrants = 2000;

/** All rights of a user, and where each comes from: granted directly, or by a role of a group. */
export const rightsAction = actionOn<{ pk: number }>()({
  name: 'rights',
  on: 'row',
  method: 'GET',
  page: { noButton: 'The page of a user lists them under Rights.' },
  summary: 'List the rights of a user with their origins',
  access: 'visible',
  query: { permission: stringSchema },
  answer: {
    status: 200,
    schemaName: 'UserRights',
    schema: objectSchema({
      is_superuser: booleanSchema,
      superuser_groups: { ...arrayOf(named), description: 'The groups that make the user a superuser.' },
      grants: arrayOf(
        objectSchema({
          permission: stringSchema,
          name: stringSchema,
          model: stringSchema,
          object_pk: { ...orNull(stringSchema), description: 'Null if it holds for all objects.' },
          role: { ...orNull(named), description: 'The role that brings it; null if it was granted to the user.' },
          group: { ...orNull(named), description: 'The group that has the role.' },
        }),
      ),
    }),
  },
  async run({ call, row: { pk }, tx }) {
    const actor = requireActor(call);
    // The response contains names of roles and groups.
    for (const needed of ['svc_rbac.view_role', 'svc_core.view_group']) {
      if (!actor.holds(needed)) throw Problem.lacks(needed);
    }
    const asked = call.request.query.get('permission') ?? '';
    const [app = '', codename = ''] = asked.split('.');
    const only = asked === '' ? sql`` : sql` and p.app_label = ${app} and p.codename = ${codename}`;
    const columns = sql`p.app_label || '.' || p.codename as permission, p.name, p.app_label || '.' || p.model as model`;
    const direct = sql`null as role, null as role_name, null as "group", null as group_name`;
    const byRole = sql`r.pk as role, r.name as role_name, g.pk as "group", g.name as group_name`;
    const joined = sql`join permissions p on p.pk = o.permission`;
    const roles = sql`${joined} join roles r on r.pk = o.role join group_roles gr on gr.role = r.pk
      join groups g on g.pk = gr."group"`;
    const groups = groupsOfSql(sql`${pk}`);
    const parts = [
      sql`select ${columns}, null as object_pk, ${direct} from user_permissions o ${joined} where o."user" = ${pk}${only}`,
      sql`select ${columns}, o.object_pk, ${direct} from user_object_permissions o ${joined} where o."user" = ${pk}${only}`,
      sql`select ${columns}, null as object_pk, ${byRole} from role_permissions o ${roles} where g.pk in (${groups})${only}`,
      sql`select ${columns}, o.object_pk, ${byRole} from role_object_permissions o ${roles} where g.pk in (${groups})${only}`,
    ];
    const found: GrantRow[] = [];
    for (const part of parts) {
      const { rows } = await sql<GrantRow>`${part} order by 1 limit ${maxGrants}`.execute(tx);
      found.push(...rows);
    }
    const { rows: superusers } = await sql<Named>`select g.pk, g.name from groups g
      where g.is_superuser and g.pk in (${groups}) order by g.name`.execute(tx);
    return {
      is_superuser: superusers.length > 0,
      superuser_groups: superusers,
      grants: found
        .toSorted((one, other) => (one.permission < other.permission ? -1 : 1))
        .slice(0, maxGrants)
        .map(({ permission, name, model, object_pk, role, role_name, group, group_name }) => ({
          ...{ permission, name, model, object_pk },
          role: role === null ? null : { pk: role, name: role_name ?? '' },
          group: group === null ? null : { pk: group, name: group_name ?? '' },
        })),
    };
  },
});
