import { makeStage } from '../bootstrap/flow-parts.ts';
import { loginModel, mfaModel } from '../bootstrap/stage-list.ts';
import type { Make } from '../bootstrap/steps.ts';

export const passkeyFlow = 'default-passkey-flow';

/** Sign-in with a passkey alone: it identifies its user, and verifies them by PIN, fingerprint or face. */
export async function installPasskeys(make: Make): Promise<void> {
  const flow = { name: 'Sign-in with a passkey', title: 'Welcome to Gatehouse!', designation: 'authentication' };
  await make.ensure('svc_flows.flow', { slug: passkeyFlow }, { ...flow, authentication: 'none' });
  await makeStage(make, {
    model: mfaModel,
    name: 'default-passkey-validation',
    values: {
      device_classes: ['webauthn'],
      not_configured_action: 'deny',
      webauthn_user_verification: 'required',
    },
    flow: passkeyFlow,
    order: 10,
  });
  await makeStage(make, { model: loginModel, name: 'default-passkey-login', flow: passkeyFlow, order: 20 });
}
