import { sql } from 'kysely';
import { bindExpression, expressionModel } from './flow-parts.ts';
import { mfaModel, mfaStage } from './stage-list.ts';
import type { BootstrapStep, Make } from './steps.ts';

const fromSource = `// Only who comes from an outside source may walk this flow.
return context.is_sso === true;`;

const expressions = {
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
  'default-password-change-if-password': `// Whoever has a password shows that they know it before they change it.
return user.has_password;`,
  'default-password-change-if-no-password': `// Whoever has none shows a second factor instead, if they have one.
return !user.has_password;`,
};

/** The policies of the default flows. */
export const policies: BootstrapStep = {
  name: 'policies',
  async run(make) {
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
    const present = await stepOf(make, 'default-password-change', password);
    await bind(make, present, 'default-password-change-if-password');
    const mfa = await make.find(mfaModel, { name: mfaStage });
    await bind(make, await stepOf(make, 'default-password-change', mfa), 'default-password-change-if-no-password');
    await validateUserSettings(make);
  },
};

type ExpressionName = keyof typeof expressions;

const bind = (make: Make, object: string | number, name: ExpressionName): Promise<void> =>
  bindExpression(make, object, name, expressions[name]);

async function stepOf(make: Make, slug: string, stage: string | number): Promise<string | number> {
  const target = await make.find('svc_flows.flow', { slug });
  return make.find('svc_flows.flowstagebinding', { target, stage });
}

async function validateUserSettings(make: Make): Promise<void> {
  const name = 'default-user-settings-authorization';
  const stage = await make.find('svc_stages_prompt.promptstage', { name: 'default-user-settings' });
  const policy = await make.ensure(expressionModel, { name }, { expression: expressions[name] });
  await sql`insert into policy_validations (stage, policy) values (${stage}, ${policy})
    on conflict do nothing`.execute(make.tx);
}
