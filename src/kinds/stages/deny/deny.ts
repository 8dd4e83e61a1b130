import { defineStageKind, deny } from '../../../flow/executor/stage-kind.ts';
import { defineStage } from '../../../flow/stage.family.ts';
import { verbatim } from '../../../lib/texts/message.ts';
import { text } from '../../../resource/fields/text.ts';

const denyStage = defineStage({
  path: '/stages/deny/',
  model: 'svc_stages_deny.denystage',
  schema: 'DenyStage',
  names: ['Deny Stage', 'Deny Stages'],
  component: 'xak-stage-deny-form',
  description: 'Denies access and ends the flow; bind policies to decide for whom.',
  table: 'stage_deny',
  fields: {
    deny_message: text({
      blank: true,
      default: '',
      filter: true,
      help: 'The message for people who are denied access.',
    }),
  },
});

export const denyKind = defineStageKind({
  resource: denyStage,
  component: 'xak-stage-access-denied',
  allowsImpersonation: true,
  roles: () => ['turns away'],
  challenge: {},
  show: async ({ settings }) => deny(settings.deny_message ? verbatim(settings.deny_message) : 'Access is denied.'),
});
