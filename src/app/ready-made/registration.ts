import { makePromptStage, makeStage } from '../bootstrap/flow-parts.ts';
import { ask, passwordTwice } from '../bootstrap/prompt-list.ts';
import { loginModel, writeModel } from '../bootstrap/stage-list.ts';
import type { Make } from '../bootstrap/steps.ts';

export const registrationFlow = 'default-registration-flow';

/**
 * Open enrolment with a confirmed address. Everything else is requested after the mail: the person who opens the link
 * continues with the earlier answers, which another person may have given.
 */
export async function installRegistration(make: Make): Promise<void> {
  const flow = registrationFlow;
  const values = { name: 'Enrollment for everybody', title: 'Create your account', designation: 'enrollment' };
  await make.ensure('svc_flows.flow', { slug: flow }, { ...values, authentication: 'require_superuser' });
  const prefix = 'default-registration-field';
  const address = [ask(`${prefix}-email`, 'email', 'Email', 'email', 100)];
  await makePromptStage(make, { name: 'default-registration-address', flow, order: 10, prompts: address });
  await makeStage(make, {
    model: 'svc_stages_email.emailstage',
    name: 'default-registration-email',
    values: { subject: 'Confirm your address', template: 'email/account_confirmation.html' },
    flow,
    order: 20,
  });
  const prompts = [
    ask(`${prefix}-username`, 'username', 'Username', 'username', 100),
    ask(`${prefix}-name`, 'name', 'Name', 'text', 200),
    ...passwordTwice(prefix),
  ];
  await makePromptStage(make, { name: 'default-registration-prompt', flow, order: 30, prompts });
  await makeStage(make, {
    model: writeModel,
    name: 'default-registration-write',
    values: { user_creation_mode: 'always_create', user_type: 'external' },
    flow,
    order: 40,
  });
  await makeStage(make, { model: loginModel, name: 'default-registration-login', flow, order: 50 });
}
