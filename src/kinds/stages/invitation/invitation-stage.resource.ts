import { sql } from 'kysely';
import { defineStage } from '../../../flow/stage.family.ts';
import { boolean } from '../../../resource/fields/scalar.ts';
import { eitherFilter } from '../../../resource/list/filters.ts';

/** Requires an invitation, unless configured otherwise. */
export const invitationStage = defineStage({
  path: '/stages/invitation/stages/',
  model: 'svc_stages_invitation.invitationstage',
  schema: 'InvitationStage',
  names: ['Invitation Stage', 'Invitation Stages'],
  component: 'xak-stage-invitation-form',
  description: 'Lets people enrol with an invitation link that can bring data with it.',
  table: 'stage_invitation',
  filters: {
    no_flows: eitherFilter(
      (row) => sql`not exists (select 1 from flow_stage_bindings fsb where fsb.stage = ${row.col('pk')})`,
    ),
  },
  fields: {
    continue_flow_without_invitation: boolean({
      default: false,
      filter: true,
      help: 'Let people without an invitation go on; otherwise the flow ends for them here.',
    }),
  },
});
