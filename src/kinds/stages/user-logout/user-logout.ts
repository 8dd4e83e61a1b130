import { endSession } from '../../../core/session/session.ts';
import { endedSessionCookies } from '../../../core/session/session-cookies.ts';
import { setPendingUser } from '../../../flow/executor/flow-state.ts';
import { defineStageKind, next, type StageKind, signOut, type Write } from '../../../flow/executor/stage-kind.ts';
import { defineStage } from '../../../flow/stage.family.ts';

const userLogoutStage = defineStage({
  path: '/stages/user_logout/',
  model: 'svc_stages_user_logout.userlogoutstage',
  schema: 'UserLogoutStage',
  names: ['User Logout Stage', 'User Logout Stages'],
  component: 'xak-stage-user-logout-form',
  description: 'Ends the session of the browser.',
  table: 'stage_user_logout',
  fields: {},
});

/** Ends the browser's session, if there is one. */
export function userLogout({ isSecure }: { readonly isSecure: boolean }): StageKind {
  return defineStageKind({
    resource: userLogoutStage,
    component: 'xak-stage-user-logout',
    allowsImpersonation: true,
    roles: () => ['signs out'],
    challenge: {},
    async show({ call: { actor }, context }) {
      setPendingUser(context, null);
      // The walk itself may have signed the person in, in the same request.
      const session = typeof context.session === 'string' ? context.session : (actor?.session ?? null);
      if (session === null) return next();
      const end: Write = async (tx, call) => {
        await endSession(tx, session);
        await call.world.record(tx, call, { action: 'logout', app: 'svc_stages_user_logout', context: {} });
      };
      return signOut(session, end, endedSessionCookies(isSecure));
    },
  });
}
