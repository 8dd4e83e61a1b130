import { sql } from 'kysely';
import { endedSessionCookies } from '../../../core/session/session-cookies.ts';
import { setPendingUser } from '../../../flow/executor/flow-state.ts';
import { pendingUserMembers, pendingUserSchemas } from '../../../flow/executor/pending-user.ts';
import {
  ask,
  defineStageKind,
  deny,
  type Move,
  next,
  type StageKind,
  type Step,
  signOut,
  type Write,
} from '../../../flow/executor/stage-kind.ts';
import { defineStage } from '../../../flow/stage.family.ts';
import { Problem } from '../../../lib/problem.ts';
import type { Call } from '../../../resource/call.ts';
import { selectOne } from '../../../resource/read/read.ts';
import { destroyRow } from '../../../resource/write/write-row.ts';

const userDeleteStage = defineStage({
  path: '/stages/user_delete/',
  model: 'svc_stages_user_delete.userdeletestage',
  schema: 'UserDeleteStage',
  names: ['User Delete Stage', 'User Delete Stages'],
  component: 'xak-stage-user-delete-form',
  description: 'Deletes the user of the flow.',
  table: 'stage_user_delete',
  fields: {},
});

const notSignedIn = 'Only signed-in users can delete their account here.';

/** Deletes the signed-in user after confirmation. Administrators can be deleted only by administrators. */
export function userDelete({ isSecure }: { readonly isSecure: boolean }): StageKind {
  return defineStageKind({
    resource: userDeleteStage,
    component: 'xak-stage-user-delete',
    roles: () => ['needs user', 'deletes user'],
    challenge: pendingUserSchemas,
    answer: {},
    show: async (step) => (await refusal(step)) ?? ask(await pendingUserMembers(step)),
    async verifyRegistration(step) {
      const refused = await refusal(step);
      const { engine, context, call: caller } = step;
      const { pending_user: pk } = context;
      if (refused || pk === null) return refused ?? deny(notSignedIn);
      setPendingUser(context, null);
      const end: Write = async (tx, call) => {
        const users = engine.registry.require('svc_core.user');
        const found = await selectOne({ engine, resource: users, call, tx }, [sql`${users.row().col('pk')} = ${pk}`]);
        if (!found) throw new Problem('permission_denied');
        await destroyRow({ engine, resource: users, call: serversOwn(call), tx }, pk, found.values);
      };
      const cookies = endedSessionCookies(isSecure);
      const session = caller.actor?.session ?? null;
      return session === null ? next(end, cookies) : signOut(session, end, cookies);
    },
  });
}

async function refusal({ call, pendingUser }: Step): Promise<Move | null> {
  const user = await pendingUser();
  if (!user || user.pk !== call.actor?.user.pk) return deny(notSignedIn);
  return user.is_superuser ? deny('An administrator cannot be deleted here.') : null;
}

/** Callers must not delete themselves, but this stage may delete them. The event still contains the user. */
const serversOwn = (call: Call): Call => ({
  ...call,
  actor: null,
  world: { ...call.world, record: (tx, _, event) => call.world.record(tx, call, event) },
});
