import { deepMerge } from '../../../lib/deep-merge.ts';
import { asObject, type Json, type JsonObject } from '../../../lib/json.ts';

type Values = Record<string, Json>;

/** Members that prompts may set directly. Permissions, state and type of an account are never among them. */
const ownMembers = ['username', 'name', 'email'];
const attributePrefix = 'attributes.';

/**
 * The part of the prompt data that is about the user: a few members, and attributes as `attributes.a.b` or
 * `attributes`.
 */
export function userValues(data: Readonly<Values>): Values {
  const values: Values = {};
  let attributes = asObject(data.attributes);
  for (const [name, value] of Object.entries(data)) {
    if (ownMembers.includes(name)) values[name] = value;
    if (name.startsWith(attributePrefix)) {
      attributes = deepMerge(attributes, nested(name.slice(attributePrefix.length).split('.'), value));
    }
  }
  return Object.keys(attributes).length > 0 ? { ...values, attributes } : values;
}

function nested(path: readonly string[], value: Json): JsonObject {
  const [first = '', ...rest] = path;
  return Object.fromEntries([[first, rest.length === 0 ? value : nested(rest, value)]]);
}
