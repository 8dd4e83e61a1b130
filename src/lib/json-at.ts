import { isJsonObject } from './json.ts';

/** The same text for equal values: the order of members does not count. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort();
  // Unlike an assignment, entries make an own member of `__proto__`.
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

/** The value at a path; a step is the name of a member or the number of an element, from the end if negative. Undefined if there is none. */
export function jsonAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const step of path) {
    if (Array.isArray(at)) at = /^-?\d{1,9}$/.test(step) ? at.at(Number(step)) : undefined;
    else if (isJsonObject(at) && Object.hasOwn(at, step)) at = at[step];
    else return undefined;
  }
  return at;
}
