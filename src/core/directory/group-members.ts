import { sql } from 'kysely';
import { Problem } from '../../lib/problem.ts';
import { isVisible } from '../../resource/access.ts';
import { modelFacts } from '../../resource/audit.ts';
import { actionOn } from '../../resource/define.ts';
import { integer } from '../../resource/fields/scalar.ts';
import type { ActionInput } from '../../resource/resource.ts';
import { bringsSuperuser, checkMayGrantMembership } from '../access/delegation.ts';
import { checkSuperuserLeft } from '../access/last-superuser.ts';
import { checkMayTouchGroup } from './group-rules.ts';
import { addToGroup, removeFromGroup } from './membership.ts';

const body = { pk: integer({ help: 'The key of the user.' }) };

const common = {
  on: 'row',
  method: 'POST',
  body,
  bodySchema: 'UserAccountRequest',
  answer: { status: 204 },
  prepare: checkUserIsThere,
} as const;

export const addUserAction = actionOn<{ pk: string }>()({
  ...common,
  name: 'add_user',
  page: { noButton: 'The page of a group offers it under Members.' },
  summary: 'Add a user to a group',
  access: { permission: addToGroup },
  async run({ tx, call, registry, row, values }) {
    const group = row.pk;
    await checkMayTouchGroup(tx, call, group);
    await checkMayGrantMembership(tx, call, [group]);
    await sql`insert into user_groups ("user", "group") values (${values.pk}, ${group}) on conflict do nothing`.execute(
      tx,
    );
    const context = {
      model: modelFacts(registry.require('svc_core.group'), group, row),
      diff: { users: { add: [values.pk] } },
    };
    await call.world.record(tx, call, { action: 'model_updated', app: 'svc_core', context });
  },
});

export const removeUserAction = actionOn<{ pk: string }>()({
  ...common,
  name: 'remove_user',
  page: { noButton: 'The page of a group offers it under Members.' },
  summary: 'Remove a user from a group',
  access: { permission: removeFromGroup },
  async run({ tx, call, registry, row, values }) {
    const group = row.pk;
    await checkMayTouchGroup(tx, call, group);
    await sql`delete from user_groups where "user" = ${values.pk} and "group" = ${group}`.execute(tx);
    if (await bringsSuperuser(tx, [group])) await checkSuperuserLeft(tx, call);
    const context = {
      model: modelFacts(registry.require('svc_core.group'), group, row),
      diff: { users: { remove: [values.pk] } },
    };
    await call.world.record(tx, call, { action: 'model_updated', app: 'svc_core', context });
  },
});

/** A user whom the caller cannot see does not exist for them. */
async function checkUserIsThere({ call, registry, values }: ActionInput<unknown, typeof body>): Promise<void> {
  const users = registry.require('svc_core.user');
  if (!(await isVisible(users, values.pk, call, registry))) throw new Problem('not_found');
}
