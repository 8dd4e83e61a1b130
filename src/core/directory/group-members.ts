import { sql } from 'kysely';
import { Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import { isVisible } from '../../resource/access/access.ts';
import type { Call } from '../../resource/call.ts';
import { actionOn } from '../../resource/define.ts';
import { integer } from '../../resource/fields/scalar.ts';
import type { ActionInput, Registry } from '../../resource/resource.ts';
import { modelFacts } from '../../resource/write/audit.ts';
import { checkMayGrantMembership, grantsSuperuser } from '../access/delegation.ts';
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
  page: { noButton: 'The page of a group offers it under Members.' },
} as const;

export const addUserAction = actionOn<{ pk: string }>()({
  ...common,
  name: 'add_user',
  summary: 'Add a user to a group',
  access: { permission: addToGroup },
  async run({ tx, call, registry, row, values }) {
    await checkMayTouchGroup(tx, call, row.pk);
    await checkMayGrantMembership(tx, call, [row.pk]);
    await sql`insert into user_groups ("user", "group") values (${values.pk}, ${row.pk}) on conflict do nothing`.execute(
      tx,
    );
    await recordMember(tx, call, registry, { group: row, verb: 'add', user: values.pk });
  },
});

export const removeUserAction = actionOn<{ pk: string }>()({
  ...common,
  name: 'remove_user',
  summary: 'Remove a user from a group',
  access: { permission: removeFromGroup },
  async run({ tx, call, registry, row, values }) {
    await checkMayTouchGroup(tx, call, row.pk);
    await sql`delete from user_groups where "user" = ${values.pk} and "group" = ${row.pk}`.execute(tx);
    if (await grantsSuperuser(tx, [row.pk])) await checkSuperuserLeft(tx, call);
    await recordMember(tx, call, registry, { group: row, verb: 'remove', user: values.pk });
  },
});

interface Membership {
  readonly group: { readonly pk: string };
  readonly verb: 'add' | 'remove';
  readonly user: number;
}

/** With the name of the user, so that the event says who it was about. */
async function recordMember(
  tx: Query,
  call: Call,
  registry: Registry,
  { group, verb, user }: Membership,
): Promise<void> {
  const { rows } = await sql<{ username: string }>`select username from users where pk = ${user}`.execute(tx);
  const model = modelFacts(registry.require('svc_core.group'), group.pk, group);
  const member = modelFacts(registry.require('svc_core.user'), user, { username: rows[0]?.username ?? '' });
  const context = { model, member, diff: { users: { [verb]: [user] } } };
  await call.world.record(tx, call, { action: 'model_updated', app: 'svc_core', context });
}

/** A user whom the caller cannot see does not exist for them. */
async function checkUserIsThere({ call, registry, values }: ActionInput<unknown, typeof body>): Promise<void> {
  const users = registry.require('svc_core.user');
  if (!(await isVisible(users, values.pk, call, registry))) throw new Problem('not_found');
}
