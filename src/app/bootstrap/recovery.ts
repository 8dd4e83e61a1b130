import { bindExpression, makePromptStage, makeStage } from './flow-parts.ts';
import { passwordTwice } from './prompt-list.ts';
import { loginModel, mfaIn, writesOwn } from './stage-list.ts';
import type { BootstrapStep } from './steps.ts';

const slug = 'default-recovery-flow';

const onlyWhenOn = `// Off until a brand names this flow as its flow_recovery.
return brand.flow_recovery === request.obj.slug;`;

const notByLink = `// Whoever comes by a link from an administrator is known already.
return !context.is_restored;`;

/** Password recovery. Inactive until a brand selects the flow. */
export const recovery: BootstrapStep = {
  name: 'recovery',
  async run(make) {
    const name = 'Forgotten password';
    const values = { name, title: 'Choose a new password', designation: 'recovery', authentication: 'none' };
    const flow = await make.ensure('svc_flows.flow', { slug }, values);
    await bindExpression(make, flow, 'default-recovery-flow-if-on', onlyWhenOn);
    const who = await makeStage(make, {
      model: 'svc_stages_identification.identificationstage',
      name: 'default-recovery-identification',
      values: { user_fields: ['email', 'username'] },
      flow: slug,
      order: 10,
    });
    await bindExpression(make, who, 'default-recovery-identification-if-unknown', notByLink);
    await makeStage(make, {
      model: 'svc_stages_email.emailstage',
      name: 'default-recovery-email',
      values: { subject: 'Choose a new password' },
      flow: slug,
      order: 20,
    });
    await makeStage(make, mfaIn(slug, 30));
    const prompts = passwordTwice('default-recovery-field');
    await makePromptStage(make, { name: 'default-recovery-prompt', flow: slug, order: 40, prompts });
    await makeStage(make, writesOwn('default-recovery-write', slug, 50));
    await makeStage(make, { model: loginModel, name: 'default-recovery-login', flow: slug, order: 60 });
  },
};
