import { resolveTarget } from '../../policy/target.ts';
import { type FirstPromptStage, passwordPolicy } from './prompt-list.ts';
import type { FirstStage } from './stage-list.ts';
import type { Make } from './steps.ts';

export const expressionModel = 'svc_policies_expression.expressionpolicy';
const passwordPolicyModel = 'svc_policies_password.passwordpolicy';

type Key = string | number;

/** Binds a stage to a flow, once: an administrator may have moved it. */
export async function bindStage(make: Make, slug: string, stage: Key, order: number): Promise<Key> {
  const target = await make.find('svc_flows.flow', { slug });
  return make.ensure('svc_flows.flowstagebinding', { target, stage }, { order });
}

export async function makeStage(make: Make, { model, name, values, flow, order }: FirstStage): Promise<Key> {
  return bindStage(make, flow, await make.ensure(model, { name }, values), order);
}

export async function makePromptStage(make: Make, stage: FirstPromptStage): Promise<Key> {
  const fields: Key[] = [];
  for (const { name, ...values } of stage.prompts) {
    fields.push(await make.ensure('svc_stages_prompt.prompt', { name }, { ...values }));
  }
  const asksForPassword = stage.prompts.some(({ field_key }) => field_key === 'password');
  const validation_policies = asksForPassword ? [await makePasswordPolicy(make)] : [];
  const pk = await make.ensure('svc_stages_prompt.promptstage', { name: stage.name }, { fields, validation_policies });
  return bindStage(make, stage.flow, pk, stage.order);
}

/** What every new password has to meet. */
const makePasswordPolicy = (make: Make): Promise<Key> => {
  const { name, ...values } = passwordPolicy;
  return make.ensure(passwordPolicyModel, { name }, values);
};

/** Binds an expression to a flow, or to a stage's place in one. */
export async function bindExpression(make: Make, object: Key, name: string, expression: string): Promise<void> {
  const policy = await make.ensure(expressionModel, { name }, { expression });
  await bindPolicy(make, object, policy, 0);
}

export async function bindPolicy(make: Make, object: Key, policy: Key, order: number): Promise<void> {
  const target = await resolveTarget(String(object), make.registry, make.tx);
  await make.ensure('svc_policies.policybinding', { target, policy }, { order });
}
