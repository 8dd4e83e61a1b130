import { sql } from 'kysely';
import { expired } from '../../../core/cleanup/cleanup.jobs.ts';
import { deny, next, type StageKind, type Step } from '../../../flow/executor/stage-kind.ts';
import { deepMerge } from '../../../lib/deep-merge.ts';
import type { Json } from '../../../lib/json.ts';
import { Problem } from '../../../lib/problem.ts';
import { canonicalUuid, isUuid } from '../../../resource/fields/scalar.ts';
import { type InvitationNeeds, invitationResource } from './invitation.resource.ts';
import { invitationStage } from './invitation-stage.resource.ts';

interface Invitation {
  readonly pk: string;
  readonly name: string;
  readonly fixed_data: string;
  readonly created_by: number;
  readonly single_use: boolean | number;
}

const refused = 'Invalid invite/invite not found';

/** Lets those pass who bring an invitation for this flow, with the data that was set for them. */
export const inviting = (needs: InvitationNeeds): StageKind => ({
  resource: invitationStage,
  resources: [invitationResource(needs)],
  expiring: [expired('invitations', 'invitations')],
  component: 'xak-stage-invitation',
  challenge: {},
  async show(step) {
    const { settings, context } = step;
    const invitation = await findInvitation(step);
    if (!invitation) return settings.continue_flow_without_invitation ? next() : deny(refused);
    const { pk, name, created_by } = invitation;
    context.prompt_data = deepMerge(context.prompt_data, JSON.parse(invitation.fixed_data) as Record<string, Json>);
    context.invitation_in_effect = true;
    context.invitation = { pk, name };
    return next(async (tx, call) => {
      if (invitation.single_use) {
        // Of two people with one invitation, one gets through.
        const { rows } = await sql`delete from invitations where pk = ${pk} returning pk`.execute(tx);
        if (rows.length === 0) throw new Problem('permission_denied', refused);
      }
      const model = { app: 'svc_stages_invitation', model_name: 'invitation', pk: pk.replaceAll('-', ''), name };
      const event = { action: 'invitation_used', app: 'svc_stages_invitation' };
      await call.world.record(tx, call, { ...event, context: { invitation: model, created_by } });
    });
  },
});

/** Whether it is good is asked when it is used, never left to a clean-up. */
async function findInvitation({ query, context, flow, call }: Step): Promise<Invitation | null> {
  const token = query.itoken ?? query.token ?? context.prompt_data.token;
  if (!isUuid(token)) return null;
  const { rows } = await sql<Invitation>`select pk, name, fixed_data, created_by, single_use from invitations
    where pk = ${canonicalUuid(token)} and (flow is null or flow = ${flow.pk}) and expires > ${call.now}`.execute(
    call.db.read,
  );
  return rows[0] ?? null;
}
