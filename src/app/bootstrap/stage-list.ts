import type { Row } from '../../resource/fields/field.ts';

export interface FirstStage {
  readonly model: string;
  readonly name: string;
  readonly values?: Row;
  /** The flow it is bound to, and where in it. */
  readonly flow: string;
  readonly order: number;
}

export const loginModel = 'svc_stages_user_login.userloginstage';
export const mfaModel = 'svc_stages_authenticator_validate.authenticatorvalidatestage';
export const mfaStage = 'default-authentication-mfa-validation';
export const writeModel = 'svc_stages_user_write.userwritestage';

/** The stages that sign users in and out and write their data, and the stages with screens. */
export const stages: readonly FirstStage[] = [
  {
    model: 'svc_stages_identification.identificationstage',
    name: 'default-authentication-identification',
    values: { user_fields: ['email', 'username'], show_source_labels: true },
    flow: 'default-authentication-flow',
    order: 10,
  },
  presentPassword('default-authentication-flow', 20),
  mfaIn('default-authentication-flow', 30),
  { model: loginModel, name: 'default-authentication-login', flow: 'default-authentication-flow', order: 100 },
  {
    model: 'svc_stages_user_logout.userlogoutstage',
    name: 'default-invalidation-logout',
    flow: 'default-invalidation-flow',
    order: 0,
  },
  // Users with a second factor here must present it, also after signing in at a source.
  mfaIn('default-source-authentication', -10),
  { model: loginModel, name: 'default-source-authentication-login', flow: 'default-source-authentication', order: 0 },
  {
    model: writeModel,
    name: 'default-source-enrollment-write',
    flow: 'default-source-enrollment',
    order: 1,
  },
  { model: loginModel, name: 'default-source-enrollment-login', flow: 'default-source-enrollment', order: 2 },
  writesOwn('default-user-settings-write', 'default-user-settings-flow', 100),
  presentPassword('default-password-change', -20),
  mfaIn('default-password-change', -10),
  writesOwn('default-password-change-write', 'default-password-change', 1),
  writesOwn('default-oobe-write', 'initial-setup', 20),
  { model: loginModel, name: 'default-oobe-login', flow: 'initial-setup', order: 100 },
  {
    model: 'svc_stages_consent.consentstage',
    name: 'default-provider-authorization-consent',
    values: { mode: 'expiring' },
    flow: 'default-provider-authorization-explicit-consent',
    order: 0,
  },
];

export function mfaIn(flow: string, order: number): FirstStage {
  return { model: mfaModel, name: mfaStage, flow, order };
}

export function writesOwn(name: string, flow: string, order: number): FirstStage {
  return { model: writeModel, name, values: { user_creation_mode: 'never_create' }, flow, order };
}

function presentPassword(flow: string, order: number): FirstStage {
  return {
    model: 'svc_stages_password.passwordstage',
    name: 'default-authentication-password',
    values: { backends: ['svc.core.auth.InbuiltBackend', 'svc.core.auth.TokenBackend'], allow_show_password: true },
    flow,
    order,
  };
}
