import { nestPromptData } from '../../../flow/prompt-data.ts';
import { isJsonObject, type Json } from '../../../lib/json.ts';

type Values = Record<string, Json>;

/** Members that prompts may set directly. Permissions, state and type of an account are never among them. */
const ownMembers = ['username', 'name', 'email'];

/** The part of the prompt data that is about the user: a few members, and attributes. */
export function userValues(data: Readonly<Values>): Values {
  const { attributes, ...members } = nestPromptData(data);
  const values = Object.fromEntries(Object.entries(members).filter(([name]) => ownMembers.includes(name)));
  return isJsonObject(attributes) && Object.keys(attributes).length > 0 ? { ...values, attributes } : values;
}
