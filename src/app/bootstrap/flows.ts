import { sql } from 'kysely';
import { consentFlow } from '../../provider/install-defaults.ts';
import type { Row } from '../../resource/fields/field.ts';
import { flows } from './flow-list.ts';
import { bindStage, makePromptStage, makeStage } from './flow-parts.ts';
import { promptStages } from './prompt-list.ts';
import { stages } from './stage-list.ts';
import type { BootstrapStep, Make } from './steps.ts';

/** The flows of a fresh install, and the stages that depend on them. */
export const defaultFlows: BootstrapStep = {
  name: 'flows',
  async run(make) {
    for (const { slug, ...values } of flows) await make.ensure('svc_flows.flow', { slug }, values);
    for (const setup of setups) await makeSetup(make, setup);
    for (const stage of promptStages) await makePromptStage(make, stage);
    for (const stage of stages) await makeStage(make, stage);
    await linkPasswordChange(make);
  },
};

/** The flow that asks for consent, for a server whose administrators have deleted it. */
export async function installConsent(make: Make): Promise<void> {
  for (const { slug, ...values } of flows.filter((flow) => flow.slug === consentFlow))
    await make.ensure('svc_flows.flow', { slug }, values);
  for (const stage of stages.filter(({ flow }) => flow === consentFlow)) await makeStage(make, stage);
}

/** The flows to set up a device: each has one stage, which refers to its flow. */
const setups: readonly { readonly slug: string; readonly model: string; readonly values: Row }[] = [
  {
    slug: 'default-authenticator-totp-setup',
    model: 'svc_stages_authenticator_totp.authenticatortotpstage',
    values: { friendly_name: 'Authenticator app', digits: '6' },
  },
  {
    slug: 'default-authenticator-static-setup',
    model: 'svc_stages_authenticator_static.authenticatorstaticstage',
    values: { friendly_name: 'Recovery codes' },
  },
  {
    slug: 'default-authenticator-webauthn-setup',
    model: 'svc_stages_authenticator_webauthn.authenticatorwebauthnstage',
    values: { friendly_name: 'Passkey' },
  },
];

async function makeSetup(make: Make, { slug, model, values }: (typeof setups)[number]): Promise<void> {
  const configure_flow = await make.find('svc_flows.flow', { slug });
  await bindStage(make, slug, await make.ensure(model, { name: slug }, { ...values, configure_flow }), 0);
}

/** The flow for changing a password. */
async function linkPasswordChange({ find, tx }: Make): Promise<void> {
  const stage = await find('svc_stages_password.passwordstage', { name: 'default-authentication-password' });
  const flow = await find('svc_flows.flow', { slug: 'default-password-change' });
  await sql`update stage_password set configure_flow = ${flow}
    where pk = ${stage} and configure_flow is null`.execute(tx);
}
