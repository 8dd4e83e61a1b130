import { makePromptStage, makeStage } from './flow-parts.ts';
import { ask, passwordTwice } from './prompt-list.ts';
import { loginModel, writeModel } from './stage-list.ts';
import type { BootstrapStep } from './steps.ts';

export const enrollmentFlow = 'default-enrollment-flow';
const slug = enrollmentFlow;

/** Enrolment by invitation only. */
export const enrollment: BootstrapStep = {
  name: 'enrollment',
  async run(make) {
    const values = { name: 'Enrollment by invitation', title: 'Create your account' };
    const kind = { designation: 'enrollment', authentication: 'require_unauthenticated' };
    await make.ensure('svc_flows.flow', { slug }, { ...values, ...kind });
    const invitation = 'svc_stages_invitation.invitationstage';
    await makeStage(make, { model: invitation, name: 'default-enrollment-invitation', flow: slug, order: 10 });
    const prefix = 'default-enrollment-field';
    const prompts = [
      ask(`${prefix}-username`, 'username', 'Username', 'username', 100),
      ask(`${prefix}-name`, 'name', 'Name', 'text', 200),
      ask(`${prefix}-email`, 'email', 'Email', 'email', 210),
      ...passwordTwice(prefix, ['Password', 'Password (repeat)']),
    ];
    await makePromptStage(make, { name: 'default-enrollment-prompt', flow: slug, order: 20, prompts });
    await makeStage(make, {
      model: writeModel,
      name: 'default-enrollment-write',
      values: { user_creation_mode: 'always_create', user_type: 'internal' },
      flow: slug,
      order: 30,
    });
    await makeStage(make, { model: loginModel, name: 'default-enrollment-login', flow: slug, order: 40 });
  },
};
