import { deepMergeAll } from '../lib/deep-merge.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';

/** Paths into the attributes of a user: `attributes.a.b`, also written `attributes_a.b`. */
const intoAttributes = /^attributes[._](?=.)/;

/** The path of a prompt's answer in prompt data. All names but those of attributes are one member. */
const pathOf = (name: string): string[] =>
  intoAttributes.test(name) ? ['attributes', ...name.replace(intoAttributes, '').split('.')] : [name];

/** Prompt data in canonical form: paths into attributes become members of `attributes`. */
export function nestPromptData(data: JsonObject): JsonObject {
  const paths = Object.entries(data).map(([name, value]) => ({ path: pathOf(name), value }));
  // Paths last: they override the object that contains them.
  const inOrder = paths.toSorted((one, other) => one.path.length - other.path.length);
  return deepMergeAll(inOrder.map(({ path, value }) => objectOf(path, value)));
}

/** The value of a prompt in nested prompt data. */
export function promptValue(data: JsonObject, name: string): Json | undefined {
  let value: Json | undefined = data;
  for (const member of pathOf(name)) {
    value = isJsonObject(value) && Object.hasOwn(value, member) ? value[member] : undefined;
  }
  return value;
}

function objectOf(path: readonly string[], value: Json): JsonObject {
  const [first = '', ...rest] = path;
  return Object.fromEntries([[first, rest.length === 0 ? value : objectOf(rest, value)]]);
}
