import { isJsonObject, type Json, type JsonObject } from './json.ts';

/** Merges deeply: the second wins; objects are merged, lists concatenated without duplicates. */
export const deepMerge = (first: JsonObject, second: JsonObject): Record<string, Json> => deepMergeAll([first, second]);

/** The same for any number of objects, in time linear in their size: a person may be in thousands of groups. */
export function deepMergeAll(objects: readonly JsonObject[]): Record<string, Json> {
  const merged: Members = new Map();
  for (const object of objects) addMembers(merged, object);
  return plainObject(merged);
}

/** A value as given, or what several were merged into so far. */
type Merged = Json | Members | JoinedList;
type Members = Map<string, Merged>;

class JoinedList {
  readonly values: Json[] = [];
  readonly #seen = new Set<string>();

  add(values: readonly Json[]): this {
    for (const value of values) {
      const text = JSON.stringify(value);
      if (this.#seen.has(text)) continue;
      this.#seen.add(text);
      this.values.push(value);
    }
    return this;
  }
}

function addMembers(merged: Members, object: JsonObject): void {
  for (const [name, value] of Object.entries(object)) {
    const existing = merged.get(name);
    merged.set(name, existing === undefined ? value : mergeValues(existing, value));
  }
}

function mergeValues(first: Merged, second: Json): Merged {
  if (Array.isArray(second)) {
    if (first instanceof JoinedList) return first.add(second);
    if (Array.isArray(first)) return new JoinedList().add(first).add(second);
  }
  if (isJsonObject(second) && isJsonObject(first) && !(first instanceof JoinedList)) {
    const members: Members = first instanceof Map ? first : new Map(Object.entries(first));
    addMembers(members, second);
    return members;
  }
  return second;
}

// Built from entries, so that a member called `__proto__` is an ordinary member.
const plainObject = (members: Members): Record<string, Json> =>
  Object.fromEntries([...members].map(([name, value]) => [name, plainValue(value)]));

function plainValue(value: Merged): Json {
  if (value instanceof Map) return plainObject(value);
  return value instanceof JoinedList ? value.values : value;
}
