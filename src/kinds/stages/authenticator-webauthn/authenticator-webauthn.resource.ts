import { setupFields } from '../../../flow/devices/setup-fields.ts';
import { defineStage } from '../../../flow/stage.family.ts';
import { nestedMany } from '../../../resource/fields/computed.ts';
import { refs } from '../../../resource/fields/ref.ts';
import { choice } from '../../../resource/fields/text.ts';
import { deviceTypeModel } from './device-type.resource.ts';

const restrictions = { table: 'stage_webauthn_device_types', own: 'stage', other: 'device_type' };
const requirements = ['required', 'preferred', 'discouraged'] as const;

/** Lets a person register a WebAuthn device, of any type or of an allowed one. */
export const authenticatorWebauthnStage = defineStage({
  path: '/stages/authenticator/webauthn/',
  model: 'svc_stages_authenticator_webauthn.authenticatorwebauthnstage',
  schema: 'AuthenticatorWebAuthnStage',
  names: ['WebAuthn Authenticator Setup Stage', 'WebAuthn Authenticator Setup Stages'],
  labels: ['Passkey setup stage', 'Passkey setup stages'],
  component: 'xak-stage-authenticator-webauthn-form',
  description: 'Lets people enrol a passkey or a security key.',
  table: 'stage_authenticator_webauthn',
  fields: {
    ...setupFields,
    user_verification: choice(requirements, {
      default: 'preferred',
      filter: true,
      help: 'User verification: whether the device must check its user by PIN, fingerprint or face.',
    }),
    authenticator_attachment: choice(['platform', 'cross-platform'], {
      nullable: true,
      filter: true,
      help: 'Built-in devices only, separate ones only, or both if empty.',
    }),
    resident_key_requirement: choice(['discouraged', 'preferred', 'required'], {
      default: 'preferred',
      filter: true,
      help: 'Whether the passkey must be stored on the device, for signing in without a name.',
    }),
    device_type_restrictions: refs(deviceTypeModel, 'uuid', {
      ...restrictions,
      filter: true,
      help: 'The device models that are allowed; none allows all. The device has to name its model in a certificate. The issuer of the certificate is not checked: this guides people to certain models, but does not keep out forged ones.',
    }),
    device_type_restrictions_obj: nestedMany(deviceTypeModel, restrictions, { order: 'description' }),
  },
});
