import { sql } from 'kysely';
import { expired } from '../../../core/cleanup/cleanup.jobs.ts';
import { withoutTrustedAttributes } from '../../../core/directory/trusted-attributes.ts';
import { type FlowContext, setPendingUser, setProvenEmail } from '../../../flow/executor/flow-state.ts';
import { defineStageKind, deny, next, type StageKind, type Step } from '../../../flow/executor/stage-kind.ts';
import { nestPromptData } from '../../../flow/prompt-data.ts';
import { deepMerge } from '../../../lib/deep-merge.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { Problem } from '../../../lib/problem.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { Call } from '../../../resource/call.ts';
import { type InvitationNeeds, invitationResource } from './invitation.resource.ts';
import { invitationStage } from './invitation-stage.resource.ts';
import { mailInvitationJob } from './mail-invitation.job.ts';

interface Invitation {
  readonly pk: string;
  readonly name: string;
  readonly fixed_data: string;
  readonly created_by: number;
  readonly single_use: boolean;
  /** The one address that its token was sent to; null if the token was shown to the inviter. */
  readonly mailed_to: string | null;
}

const refused =
  'This invitation is not valid: it was already used, has expired or was withdrawn. Ask the person who invited you for a new one.';
const gone = 'This invitation has been used or withdrawn.';

/** Requires an invitation for this flow, and applies the data preset in it. */
export const invitationKind = (needs: InvitationNeeds): StageKind =>
  defineStageKind({
    resource: invitationStage,
    resources: [invitationResource(needs)],
    jobs: (server) => [mailInvitationJob({ ...needs, ...server })],
    expiring: [expired('invitations', 'invitations')],
    component: 'xak-stage-invitation',
    roles: ({ continue_flow_without_invitation }) => (continue_flow_without_invitation ? [] : ['takes invitation']),
    challenge: {},
    async show(step) {
      const { settings, context } = step;
      const invitation = await findInvitation(needs, step);
      if (!invitation) return settings.continue_flow_without_invitation ? next() : deny(refused);
      const fixed = withoutVouchers(nestPromptData(withoutPasswords(JSON.parse(invitation.fixed_data))));
      context.prompt_data = deepMerge(nestPromptData(context.prompt_data), fixed);
      context.fixed_data = fixed;
      // The invitation is for a person without an account, so a signed-in user who opens the link is not the user of
      // the flow (account takeover).
      if (context.created_user !== context.pending_user) setPendingUser(context, null);
      if (invitation.mailed_to !== null) setProvenEmail(context, { email: invitation.mailed_to, by: 'invitation' });
      context.invitation_in_effect = true;
      context.invitation = { pk: invitation.pk, name: invitation.name };
      return next();
    },
    completeStage: useUp,
  });

/**
 * Opening an invitation does not consume it: mail scanners open links too, and a walk may fail. It is consumed when a
 * user is created from it or when the flow ends. If two people use one invitation, only one succeeds.
 */
async function useUp(context: FlowContext, tx: Query, call: Call): Promise<void> {
  const used: unknown = context.invitation;
  if (!isJsonObject(used) || typeof used.pk !== 'string' || used.is_used === true) return;
  const { pk } = used;
  const { rows } = await sql<Pick<Invitation, 'name' | 'created_by' | 'single_use'>>`select name, created_by,
    single_use from invitations where pk = ${pk}`.execute(tx);
  const [invitation] = rows;
  if (!invitation || (invitation.single_use && !(await isTaken(tx, pk)))) throw new Problem('permission_denied', gone);
  context.invitation = { ...used, is_used: true };
  const { name, created_by } = invitation;
  const model = { app: 'svc_stages_invitation', model_name: 'invitation', pk: pk.replaceAll('-', ''), name };
  const event = { action: 'invitation_used', app: 'svc_stages_invitation' };
  await call.world.record(tx, call, { ...event, context: { invitation: model, created_by } });
}

async function isTaken(tx: Query, pk: string): Promise<boolean> {
  return (await sql`delete from invitations where pk = ${pk} returning pk`.execute(tx)).rows.length > 0;
}

/** Invitations from before were not checked for these. */
const withoutVouchers = (data: JsonObject): JsonObject =>
  isJsonObject(data.attributes) ? { ...data, attributes: withoutTrustedAttributes(data.attributes) } : data;

const withoutPasswords = (data: Record<string, Json>): Record<string, Json> =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !/password/i.test(name)));

/** Checks expiry on use; never relies on a clean-up. */
async function findInvitation(
  { key }: InvitationNeeds,
  { query, context, flow, call }: Step,
): Promise<Invitation | null> {
  const token = query.itoken ?? query.token ?? context.prompt_data.token;
  if (typeof token !== 'string' || token === '') return null;
  const { rows } = await sql<Invitation>`select pk, name, fixed_data, created_by, single_use, mailed_to from invitations
    where token_hash = ${key.hash(token)} and (flow is null or flow = ${flow.pk}) and expires > ${call.now}`.execute(
    call.db.read,
  );
  return rows[0] ?? null;
}
