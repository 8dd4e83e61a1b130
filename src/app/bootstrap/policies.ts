import { sql } from 'kysely';
import type { BootstrapStep, Make } from './steps.ts';

const fromSource = `// Only who comes from an outside source may walk this flow.
return context.is_sso === true;`;

const expressions: Readonly<Record<string, string>> = {
  'default-authentication-flow-password-stage': `// Who has been recognised on the way is not asked for a password.
return !context.auth_method;`,
  'default-source-authentication-if-sso': fromSource,
  'default-source-enrollment-if-sso': fromSource,
  'default-source-enrollment-if-username': `// A name is asked for when the source has not told one.
return !context.prompt_data?.username;`,
  'default-oobe-password-usable': `// Set-up is over once the password of the first start has been replaced.
return user.password_change_date === user.date_joined;`,
  'default-user-settings-authorization': `// What somebody may change of themselves: their own and their groups' attributes say so, else the settings.
const attributes = Object.assign({}, ...user.groups.map((group) => group.attributes), user.attributes);
const given = context.prompt_data ?? {};
const words = { email: 'email address', name: 'name', username: 'username' };
for (const member of Object.keys(words)) {
  const may = attributes['gatehouse/user/can-change-' + member] ?? settings['default_user_change_' + member];
  if (!may && member in given && given[member] !== user[member]) {
    message('Not allowed to change ' + words[member] + '.');
    return false;
  }
}
return true;`,
};

/** The policies that the flows of a fresh install go by. */
export const policies: BootstrapStep = {
  name: 'policies',
  async run(make) {
    for (const [name, expression] of Object.entries(expressions)) {
      await make.ensure('svc_policies_expression.expressionpolicy', { name }, { expression });
    }
    for (const [slug, policy] of [
      ['default-source-authentication', 'default-source-authentication-if-sso'],
      ['default-source-enrollment', 'default-source-enrollment-if-sso'],
      ['initial-setup', 'default-oobe-password-usable'],
    ] as const) {
      await bind(make, await make.find('svc_flows.flow', { slug }), policy);
    }
    const prompt = await make.find('svc_stages_prompt.promptstage', { name: 'default-source-enrollment-prompt' });
    await bind(make, await stepOf(make, 'default-source-enrollment', prompt), 'default-source-enrollment-if-username');
    const password = await make.find('svc_stages_password.passwordstage', { name: 'default-authentication-password' });
    const passwordStep = await stepOf(make, 'default-authentication-flow', password);
    await bind(make, passwordStep, 'default-authentication-flow-password-stage');
    await validateUserSettings(make);
  },
};

async function bind(make: Make, target: string | number, name: string): Promise<void> {
  const policy = await make.find('svc_policies_expression.expressionpolicy', { name });
  await make.ensure('svc_policies.policybinding', { target, policy, order: 0 });
}

async function stepOf(make: Make, slug: string, stage: string | number): Promise<string | number> {
  const target = await make.find('svc_flows.flow', { slug });
  return make.find('svc_flows.flowstagebinding', { target, stage });
}

async function validateUserSettings({ find, tx }: Make): Promise<void> {
  const stage = await find('svc_stages_prompt.promptstage', { name: 'default-user-settings' });
  const policy = await find('svc_policies_expression.expressionpolicy', {
    name: 'default-user-settings-authorization',
  });
  await sql`insert into policy_validations (stage, policy) values (${stage}, ${policy})`.execute(tx);
}
