import { setupFields } from '../../../flow/devices/setup-fields.ts';
import { defineStage } from '../../../flow/stage.family.ts';
import { parseOutboundUrl } from '../../../platform/fetch/redirect.ts';
import { secret } from '../../../resource/fields/secret.ts';
import { text } from '../../../resource/fields/text.ts';
import type { RowOf } from '../../../resource/resource.ts';
import { addressOf, type ServiceAccount, type TwofactorApi } from './twofactor-api.ts';
import { twofactorSetupModel } from './twofactor-device.ts';
import { importActions } from './twofactor-import.ts';

/** Lets people enrol a phone that receives push notifications. */
export function twofactorStage(api: TwofactorApi) {
  return defineStage({
    path: '/stages/authenticator/twofactor/',
    model: twofactorSetupModel,
    schema: 'AuthenticatorTwofactorStage',
    names: ['Twofactor Authenticator Setup Stage', 'Twofactor Authenticator Setup Stages'],
    labels: ['Two-factor authenticator setup stage', 'Two-factor authenticator setup stages'],
    component: 'xak-stage-authenticator-twofactor-form',
    description: 'Lets people set up a phone that confirms sign-ins.',
    table: 'stage_authenticator_twofactor',
    fields: {
      ...setupFields,
      client_id: text({ filter: true, help: 'The integration key of the application at the service.' }),
      client_secret: secret({ writeOnly: true, help: 'The secret of the integration that checks sign-ins.' }),
      api_hostname: text({ filter: true, check: hostComplaint, help: 'Where the service is.' }),
      admin_integration_key: text({
        blank: true,
        default: '',
        help: 'The integration key for administration: only needed to import devices.',
      }),
      admin_secret_key: secret({
        blank: true,
        default: '',
        writeOnly: true,
        help: 'The secret of the administrative integration, for importing devices.',
      }),
    },
    actions: importActions(api),
  });
}

function hostComplaint(host: string): string | null {
  const url = parseOutboundUrl(addressOf(host));
  return url && url.pathname === '/' && url.search === '' && url.hash === '' ? null : 'Enter the name of a host.';
}

/** The account used for verification. */
export const authAccount = ({ api_hostname, client_id, client_secret }: TwofactorSettings): ServiceAccount => ({
  api_hostname,
  integration: client_id,
  secret: client_secret,
});

export type TwofactorSettings = RowOf<ReturnType<typeof twofactorStage>>;
