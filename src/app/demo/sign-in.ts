import type { Demo, DemoObject } from '../../core/kind/demo.ts';
import { inDays } from './users.ts';

/** Enrolment by invitation: a flow with its stages and prompts, and an open invitation. */
export async function makeEnrolment({ api, now }: Demo): Promise<DemoObject> {
  const flow = await api.ensure(
    '/flows/instances/',
    { slug: 'demo-enrollment' },
    { name: 'Demo: join by invitation', title: 'Welcome to the demo company', designation: 'enrollment' },
  );
  const invitationStage = await api.ensure('/stages/invitation/stages/', { name: 'Demo: invitation' });
  const nickname = await api.ensure(
    '/stages/prompt/prompts/',
    { name: 'Demo: nickname' },
    { field_key: 'nickname', label: 'What shall we call you?', type: 'text', required: true, order: 10 },
  );
  const prompt = await api.ensure('/stages/prompt/stages/', { name: 'Demo: nickname' }, { fields: [nickname.pk] });
  const securityKey = await api.ensure(
    '/stages/authenticator/webauthn/',
    { name: 'Demo: security key' },
    { friendly_name: 'Security key' },
  );
  for (const [index, stage] of [invitationStage, prompt, securityKey].entries()) {
    await api.ensure('/flows/bindings/', { target: flow.pk, stage: stage.pk }, { order: (index + 1) * 10 });
  }
  await api.ensure(
    '/stages/invitation/invitations/',
    { name: 'demo-invitation' },
    { flow: flow.pk, expires: inDays(now, 30), single_use: true, fixed_data: { email: 'newcomer@example.com' } },
  );
  return flow;
}

/** A flow that deletes the account after a confirmation, and one that always denies. */
export async function makeSignOutFlow({ api }: Demo): Promise<void> {
  const leave = await api.ensure(
    '/flows/instances/',
    { slug: 'demo-farewell' },
    {
      name: 'Demo: leave',
      title: 'Leave the demo company',
      designation: 'unenrollment',
      authentication: 'require_authenticated',
    },
  );
  const closed = await api.ensure(
    '/flows/instances/',
    { slug: 'demo-closed' },
    { name: 'Demo: closed', title: 'Not open yet', designation: 'enrollment' },
  );
  const pause = await api.ensure('/stages/dummy/', { name: 'Demo: think again' });
  const goodbye = await api.ensure('/stages/user_delete/', { name: 'Demo: delete the account' });
  const door = await api.ensure('/stages/deny/', { name: 'Demo: closed' }, { deny_message: 'We open next week.' });
  await api.ensure('/flows/bindings/', { target: leave.pk, stage: pause.pk }, { order: 10 });
  await api.ensure('/flows/bindings/', { target: leave.pk, stage: goodbye.pk }, { order: 20 });
  await api.ensure('/flows/bindings/', { target: closed.pk, stage: door.pk }, { order: 10 });
}
