import { isJsonObject, type Json } from './json.ts';

type JsonObject = Record<string, Json>;

/** Merges deeply: the second wins; objects are merged, lists concatenated without duplicates. */
export function deepMerge(first: JsonObject, second: JsonObject): JsonObject {
  const members = new Map(Object.entries(first));
  for (const [name, value] of Object.entries(second)) {
    const existing = members.get(name);
    members.set(name, existing === undefined ? value : mergeValues(existing, value));
  }
  // Built from entries, so that a member called `__proto__` is an ordinary member.
  return Object.fromEntries(members);
}

function mergeValues(first: Json, second: Json): Json {
  if (Array.isArray(first) && Array.isArray(second)) return withoutRepeats([...first, ...second]);
  if (isJsonObject(first) && isJsonObject(second)) return deepMerge(first, second);
  return second;
}

function withoutRepeats(values: Json[]): Json[] {
  const seen = new Set<string>();
  return values.filter((value) => {
    const text = JSON.stringify(value);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}
