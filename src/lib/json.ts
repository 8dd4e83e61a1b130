export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** Whether a parsed JSON value is an object. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value if it is a JSON object, else an empty one. */
export const asObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

/** A member of a value, if that is an object; otherwise undefined. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

/** A JSON value in a text. `String` throws for an object that has a member `toString`. */
export const asText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

/** Copies a JSON value, many times faster than `JSON.parse(JSON.stringify())` or `structuredClone`. */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  // Members are replaced by copies of themselves, so the type stays.
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  for (const name in copy) {
    const member = copy[name];
    if (typeof member === 'object' && member !== null) copy[name] = copyJson(member);
  }
  // As above.
  return copy as T;
}

/** Whether two values are equal as JSON, ignoring the order of members; many times faster than serializing them. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(Reflect.get(one, name), Reflect.get(other, name)))
  );
}

/** All work with a body takes time by its parts. */
export interface JsonLimits {
  /** Of all objects together. */
  readonly members: number;
  /** Of all lists together. */
  readonly elements: number;
}

/** Of what authenticated callers send: a group may have a hundred thousand users. */
export const bodyLimits: JsonLimits = { members: 20_000, elements: 200_000 };

/** Whether a parsed JSON value has more parts than these. Stops counting as soon as it has. */
export function hasMoreParts(value: unknown, { members, elements }: JsonLimits): boolean {
  let [membersLeft, elementsLeft] = [members, elements];
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null) continue;
    const parts: unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (Array.isArray(next)) elementsLeft -= parts.length;
    else membersLeft -= parts.length;
    if (membersLeft < 0 || elementsLeft < 0) return true;
    for (const part of parts) if (typeof part === 'object') waiting.push(part);
  }
  return false;
}

/** Whether a value is nested more deeply than this. Deeper values are unsafe for recursive functions. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}
