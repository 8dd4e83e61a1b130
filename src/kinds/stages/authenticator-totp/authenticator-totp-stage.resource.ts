import { setupFields } from '../../../flow/devices/setup-fields.ts';
import { defineStage } from '../../../flow/stage.family.ts';
import { choice } from '../../../resource/fields/text.ts';

export const totpSetupModel = 'svc_stages_authenticator_totp.authenticatortotpstage';

/** Lets people enrol an app that generates codes. */
export const authenticatorTotpStage = defineStage({
  path: '/stages/authenticator/totp/',
  model: totpSetupModel,
  schema: 'AuthenticatorTOTPStage',
  names: ['TOTP Authenticator Setup Stage', 'TOTP Authenticator Setup Stages'],
  labels: ['Authenticator app setup stage', 'Authenticator app setup stages'],
  component: 'xak-stage-authenticator-totp-form',
  description: 'Lets people set up an app that shows a new code every half minute.',
  table: 'stage_authenticator_totp',
  fields: {
    ...setupFields,
    digits: choice(['6', '8'], { filter: true, help: 'The number of digits of a code; some apps only support six.' }),
  },
});
