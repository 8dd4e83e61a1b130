import type { Demo } from '../../core/kind/demo.ts';

/** A way back in for people who have forgotten their password: a link by mail, their second factor, a new password. */
export async function makeRecovery({ api }: Demo): Promise<void> {
  const flow = await api.ensure(
    '/flows/instances/',
    { slug: 'demo-recovery' },
    { name: 'Demo: forgotten password', title: 'Choose a new password', designation: 'recovery' },
  );
  const unlessByLink = await api.ensure(
    '/policies/expression/',
    { name: 'Demo: not by a link' },
    { expression: '// Who comes by a link is known already.\nreturn !context.is_restored;' },
  );
  const who = await api.ensure(
    '/stages/identification/',
    { name: 'Demo: whose password' },
    { user_fields: ['email', 'username'] },
  );
  const mail = await api.ensure(
    '/stages/email/',
    { name: 'Demo: link by mail' },
    { use_global_settings: true, subject: 'Choose a new password', token_expiry: 30 },
  );
  const second = await api.ensure('/stages/authenticator/validate/', { name: 'default-authentication-mfa-validation' });
  const prompts = [
    await password(api, 'Demo: new password', 'password', 'New password', 10),
    await password(api, 'Demo: new password again', 'password_repeat', 'New password again', 20),
  ];
  const prompt = await api.ensure('/stages/prompt/stages/', { name: 'Demo: new password' }, { fields: prompts });
  const write = await api.ensure(
    '/stages/user_write/',
    { name: 'Demo: write the new password' },
    { user_creation_mode: 'never_create' },
  );
  const login = await api.ensure('/stages/user_login/', { name: 'Demo: sign in after recovery' });
  for (const [index, stage] of [who, mail, second, prompt, write, login].entries()) {
    const order = (index + 1) * 10;
    const binding = await api.ensure('/flows/bindings/', { target: flow.pk, stage: stage.pk }, { order });
    if (stage === who)
      await api.ensure('/policies/bindings/', { target: binding.pk, policy: unlessByLink.pk }, { order: 0 });
  }
}

async function password(api: Demo['api'], name: string, field_key: string, label: string, order: number) {
  const values = { field_key, label, type: 'password', required: true, order };
  return (await api.ensure('/stages/prompt/prompts/', { name }, values)).pk;
}
