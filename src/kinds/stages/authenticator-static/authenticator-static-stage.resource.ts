import { setupFields } from '../../../flow/devices/setup-fields.ts';
import { defineStage } from '../../../flow/stage.family.ts';
import { integer } from '../../../resource/fields/scalar.ts';

export const staticSetupModel = 'svc_stages_authenticator_static.authenticatorstaticstage';

/** Issues recovery codes for people who lose their other devices. */
export const authenticatorStaticStage = defineStage({
  path: '/stages/authenticator/static/',
  model: staticSetupModel,
  schema: 'AuthenticatorStaticStage',
  names: ['Static Authenticator Setup Stage', 'Static Authenticator Setup Stages'],
  labels: ['Recovery code setup stage', 'Recovery code setup stages'],
  component: 'xak-stage-authenticator-static-form',
  description: 'Gives people a list of codes, each good for one sign-in.',
  table: 'stage_authenticator_static',
  fields: {
    ...setupFields,
    token_count: integer({ min: 1, max: 100, default: 6, filter: true, help: 'The number of codes.' }),
    token_length: integer({
      min: 6,
      max: 16,
      default: 12,
      filter: true,
      help: 'How long each code is; short ones are easier to guess.',
    }),
  },
});
