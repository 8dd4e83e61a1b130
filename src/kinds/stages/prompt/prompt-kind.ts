import { sql } from 'kysely';
import { isNameFree } from '../../../core/directory/name-keys.ts';
import type { MappingFailed } from '../../../core/mapping/evaluate.ts';
import {
  ask,
  defineStageKind,
  type Move,
  next,
  type StageKind,
  type Step,
  stay,
} from '../../../flow/executor/stage-kind.ts';
import { nestPromptData, promptValue } from '../../../flow/prompt-data.ts';
import { deepMerge } from '../../../lib/deep-merge.ts';
import { asObject, isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { Complaints } from '../../../lib/problem.ts';
import type { UserText } from '../../../lib/texts/message.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import type { ListedPolicy, PolicyEngine } from '../../../policy/engine.ts';
import { passwordRuleKinds } from '../../../policy/kind.ts';
import { policyRequest } from '../../../policy/request.ts';
import type { Call } from '../../../resource/call.ts';
import { arrayOf, integerSchema, objectSchema, stringSchema } from '../../../resource/document/json-schema.ts';
import { promptSchema } from './preview.ts';
import { promptResource } from './prompt.resource.ts';
import { isForPrompts, readAnswers, takesNoInput } from './prompt-answers.ts';
import { promptStage } from './prompt-stage.resource.ts';
import { type Prompt, type PromptContext, type RenderedPrompt, showPrompt } from './show-prompt.ts';

interface Dependencies {
  readonly sandbox: Sandbox;
  readonly policies: PolicyEngine;
}

const passwordRuleSchema = objectSchema({
  field_key: stringSchema,
  kind: { type: 'string', enum: [...passwordRuleKinds] },
  at_least: integerSchema,
  characters: stringSchema,
});

/** Asks the stage's prompts and stores the answers in `prompt_data`. */
export function promptKind(needs: Dependencies): StageKind {
  return defineStageKind({
    resource: promptStage,
    resources: [promptResource(needs)],
    component: 'xak-stage-prompt',
    allowsImpersonation: true,
    challenge: { fields: arrayOf(promptSchema), password_rules: arrayOf(passwordRuleSchema) },
    sometimes: ['password_rules'],
    isAnswer: () => true,
    show: (step) => showAll(needs, step),
    async verifyRegistration(step, given) {
      const prompts = await shownPrompts(needs, step);
      if (!isForPrompts(prompts, given)) return ask(await membersOf(needs, step, prompts));
      const { values, complaints } = readAnswers(prompts, given);
      const taken = await takenNames(step, prompts, values);
      const wrong = { ...complaints, ...taken };
      if (Object.keys(wrong).length > 0) return stay(wrong);
      const prompt_data = withAnswers(step.context, values);
      const refused = await refusals(needs.policies, step, prompt_data);
      if (refused.length > 0) return stay({ non_field_errors: [...refused] });
      step.context.prompt_data = prompt_data;
      return next();
    },
  });
}

/** Shows the prompts. Failing expressions are recorded once per walk. */
async function showAll(needs: Dependencies, step: Step): Promise<Move> {
  const { call, memory } = step;
  const failures: MappingFailed[] = [];
  const fields = await shownPrompts(needs, step, (failure) => failures.push(failure));
  if (failures.length > 0 && memory.told !== true) {
    memory.told = true;
    await call.db.write(async (tx) => {
      for (const failure of failures) await call.world.record(tx, call, failure.event());
    });
  }
  return ask(await membersOf(needs, step, fields));
}

/** The prompts, and what the stage's policies require of a new password. */
async function membersOf({ policies }: Dependencies, { call, settings }: Step, fields: readonly RenderedPrompt[]) {
  const passwords = new Set(fields.filter(({ type }) => type === 'password').map(({ field_key }) => field_key));
  if (passwords.size === 0) return { fields };
  const listed = await validationPolicies(settings.pk, call);
  const rules = (await policies.passwordRules({ call, policies: listed })).filter((rule) =>
    passwords.has(rule.field_key),
  );
  return rules.length === 0 ? { fields } : { fields, password_rules: rules };
}

async function validationPolicies(stage: string, { db }: Call): Promise<readonly ListedPolicy[]> {
  const { rows } = await sql<ListedPolicy>`select p.pk, p.kind from policies p
    join policy_validations v on v.policy = p.pk where v.stage = ${stage} order by p.name`.execute(db.read);
  return rows;
}

async function shownPrompts(
  { sandbox }: Dependencies,
  { call, settings, context, pendingUser }: Step,
  onFailure: NonNullable<PromptContext['onFailure']> = () => {},
): Promise<RenderedPrompt[]> {
  const { rows } = await sql<Prompt>`select p.* from prompts p join prompt_stage_fields f on f.prompt = p.pk
    where f.stage = ${settings.pk} order by p."order", p.field_key`.execute(call.db.read);
  const user = await pendingUser();
  const { http } = policyRequest(call, { user });
  const fixed = fixedOf(context);
  const shown = (prompt: Prompt) => (promptValue(fixed, prompt.field_key) === undefined ? prompt : toRead(prompt));
  return rows.map((row) =>
    showPrompt(shown(row), { sandbox, user, http, promptContext: shareable(context), onFailure }),
  );
}

/** A prompt whose value is fixed shows it: an answer would not be used. */
const toRead = (prompt: Prompt): Prompt =>
  takesNoInput.has(prompt.type)
    ? prompt
    : { ...prompt, type: prompt.type === 'text_area' ? 'text_area_read_only' : 'text_read_only' };

/** Values fixed by an invitation, which the invited person cannot change. */
const fixedOf = ({ fixed_data }: Step['context']): JsonObject => nestPromptData(asObject(fixed_data));

/** The prompt data with these answers. Fixed values win. */
const withAnswers = (context: Step['context'], values: JsonObject): Record<string, Json> => {
  const answered = deepMerge(nestPromptData(context.prompt_data), nestPromptData(values));
  return { ...deepMerge(answered, fixedOf(context)) };
};

/** Leaves out passwords, which are never shown again. */
const shareable = (context: Step['context']): JsonObject => withoutPasswords(withAnswers(context, {}));

const withoutPasswords = (data: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(data)
      .filter(([name]) => !/password/i.test(name))
      .map(([name, value]) => [name, isJsonObject(value) ? withoutPasswords(value) : value]),
  );

/** Complains about a user name that belongs to someone else. */
async function takenNames(
  { call, context }: Step,
  prompts: readonly RenderedPrompt[],
  values: Readonly<Record<string, Json>>,
): Promise<Complaints> {
  const complaints: Complaints = {};
  for (const { type, field_key } of prompts) {
    if (type !== 'username' || typeof values[field_key] !== 'string') continue;
    const isFree = await isNameFree(call.db.read, values[field_key], context.pending_user);
    if (!isFree) complaints[field_key] = ['Username is already taken.'];
  }
  return complaints;
}

/** The errors of the stage's policies about the answers. A policy that fails counts as a denial. */
async function refusals(policies: PolicyEngine, step: Step, prompt_data: JsonObject): Promise<readonly UserText[]> {
  const { call, settings, context, pendingUser, flow } = step;
  const { passing, messages } = await policies.evaluatePolicies({
    call,
    request: async () =>
      policyRequest(call, {
        user: await pendingUser(),
        context: { ...context, prompt_data },
        obj: { pk: flow.pk, slug: flow.slug, name: flow.name },
      }),
    target: settings.pk,
    policies: await validationPolicies(settings.pk, call),
  });
  if (passing) return [];
  return messages.length === 0 ? ['These values are not accepted.'] : messages;
}
