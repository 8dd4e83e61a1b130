import { defineStage, stageFamily } from '../../../flow/stage.family.ts';
import { nestedMany } from '../../../resource/fields/computed.ts';
import { refs } from '../../../resource/fields/ref.ts';
import { duration } from '../../../resource/fields/scalar.ts';
import { list } from '../../../resource/fields/structured.ts';
import { choice } from '../../../resource/fields/text.ts';
import type { RowOf } from '../../../resource/resource.ts';

const deviceTypeModel = 'svc_stages_authenticator_webauthn.webauthndevicetype';
const allowedTypes = { table: 'stage_validate_device_types', own: 'stage', other: 'device_type' };

export const validateModel = 'svc_stages_authenticator_validate.authenticatorvalidatestage';

/** Asks for a second factor from one of the accepted device classes. */
export const authenticatorValidateStage = (deviceClasses: readonly string[]) =>
  defineStage({
    path: '/stages/authenticator/validate/',
    model: validateModel,
    schema: 'AuthenticatorValidateStage',
    names: ['Authenticator Validation Stage', 'Authenticator Validation Stages'],
    component: 'xak-stage-authenticator-validate-form',
    description: 'Requires a device of the user: an app, a passkey, a phone or a list of codes.',
    table: 'stage_authenticator_validate',
    fields: {
      not_configured_action: choice(['skip', 'deny', 'configure'], {
        default: 'skip',
        filter: true,
        help: 'What happens to users without an accepted device.',
      }),
      device_classes: list(choice(deviceClasses), {
        default: deviceClasses,
        labels: {
          static: 'Recovery codes',
          totp: 'Authenticator app',
          twofactor: 'Two-factor service',
          webauthn: 'Passkey',
        },
        help: 'The classes of devices that are accepted.',
      }),
      configuration_stages: refs(stageFamily.model, 'uuid', {
        table: 'stage_validate_configuration_stages',
        own: 'stage',
        other: 'configuration_stage',
        filter: true,
        help: 'The stages in which people without a device set one up; with several they choose.',
      }),
      last_auth_threshold: duration({
        default: 'seconds=0',
        help: 'How long a browser is remembered in which a user has verified a device; with zero, users are asked every time.',
      }),
      webauthn_user_verification: choice(['required', 'preferred', 'discouraged'], {
        default: 'preferred',
        help: 'User verification: whether a security key must ask for a PIN, fingerprint or face.',
      }),
      webauthn_allowed_device_types: refs(deviceTypeModel, 'uuid', {
        ...allowedTypes,
        help: 'Only devices of these types are accepted; empty accepts all.',
      }),
      webauthn_allowed_device_types_obj: nestedMany(deviceTypeModel, allowedTypes, { order: 'description' }),
    },
    check({ values }) {
      const isWithout = values.configuration_stages?.length === 0;
      if (values.not_configured_action !== 'configure' || !isWithout) return null;
      const complaint = 'When Not configured action is set to "Configure", you must set a configuration stage.';
      return { not_configured_action: [complaint] };
    },
  });

export type ValidateSettings = RowOf<ReturnType<typeof authenticatorValidateStage>>;
