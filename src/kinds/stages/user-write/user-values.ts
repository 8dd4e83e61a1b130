import { withoutTrustedAttributes } from '../../../core/directory/trusted-attributes.ts';
import type { FlowPlan } from '../../../flow/plan.ts';
import { nestPromptData } from '../../../flow/prompt-data.ts';
import { asObject, type Json } from '../../../lib/json.ts';

type Values = Record<string, Json>;

/** Members that prompts may set directly. Permissions, state and type of an account are never among them. */
const ownMembers = ['username', 'name', 'email'];

/**
 * The part of the prompt data that is about the user: a few members, and attributes. Attributes that are trusted as
 * verified count only if the source of the walk has sent them.
 */
export function userValues(
  data: Readonly<Values>,
  { source, prompt_data }: Pick<FlowPlan, 'source' | 'prompt_data'>,
): Values {
  const { attributes, ...members } = nestPromptData(data);
  const values = Object.fromEntries(Object.entries(members).filter(([name]) => ownMembers.includes(name)));
  const ofSource = source === null ? {} : asObject(nestPromptData(prompt_data).attributes);
  const kept = withoutTrustedAttributes(asObject(attributes), ofSource);
  return Object.keys(kept).length > 0 ? { ...values, attributes: kept } : values;
}
