import { setupFields } from '../../../flow/devices/setup-fields.ts';
import { defineStage } from '../../../flow/stage.family.ts';
import { parseOutboundUrl } from '../../../platform/fetch/redirect.ts';
import { ref } from '../../../resource/fields/ref.ts';
import { boolean } from '../../../resource/fields/scalar.ts';
import { secret } from '../../../resource/fields/secret.ts';
import { choice, text } from '../../../resource/fields/text.ts';
import type { RowOf } from '../../../resource/resource.ts';

export const mappingModel = 'svc_events.notificationwebhookmapping';

/** Lets people enrol a phone that receives codes. */
export const smsStage = defineStage({
  path: '/stages/authenticator/sms/',
  model: 'svc_stages_authenticator_sms.authenticatorsmsstage',
  schema: 'AuthenticatorSMSStage',
  names: ['SMS Authenticator Setup Stage', 'SMS Authenticator Setup Stages'],
  component: 'xak-stage-authenticator-sms-form',
  description: 'Lets people set up a phone that codes are sent to.',
  table: 'stage_authenticator_sms',
  fields: {
    ...setupFields,
    provider: choice(['twilio', 'generic'], { filter: true, help: 'Who sends the messages.' }),
    from_number: text({ filter: true, help: 'The number or name that messages come from.' }),
    account_sid: text({ filter: true, help: 'The account at Twilio; for other services the address to post to.' }),
    auth: secret({ help: 'The token of the account; for other services a username or a bearer token.' }),
    auth_password: secret({ blank: true, default: '', help: 'The password that goes with a username.' }),
    auth_type: choice(['basic', 'bearer'], {
      default: 'basic',
      filter: true,
      help: 'How the server proves itself to the message service.',
    }),
    verify_only: boolean({
      default: false,
      filter: true,
      help: 'Keeps only a hash of the number: it is proven once, and no code can be sent to it later.',
    }),
    mapping: ref(mappingModel, 'uuid', {
      nullable: true,
      filter: true,
      help: 'Creates the body for a service other than Twilio; knows `user`, `device`, `token` and `message`.',
    }),
  },
  check: ({ values }) =>
    values.provider === 'generic' && !parseOutboundUrl(values.account_sid)
      ? { account_sid: ['Enter a valid URL.'] }
      : null,
});

export type SmsSettings = RowOf<typeof smsStage>;
