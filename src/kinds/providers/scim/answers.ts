import { isJsonObject, type Json } from '../../../lib/json.ts';
import { ObjectRefused, type RemoteObject, remoteObject } from '../../../provider/sync/remote.ts';

/** A member of an answer, in whatever case a server writes its name. */
export function memberOf(object: Json | undefined, name: string): Json | undefined {
  if (!isJsonObject(object)) return undefined;
  if (Object.hasOwn(object, name)) return object[name];
  const found = Object.keys(object).find((key) => key.toLowerCase() === name.toLowerCase());
  return found === undefined ? undefined : object[found];
}

export const listOf = (object: Json | undefined, name: string): readonly Json[] => {
  const value = memberOf(object, name);
  return Array.isArray(value) ? value : [];
};

export const textOf = (object: Json | undefined, name: string): string => {
  const value = memberOf(object, name);
  return typeof value === 'string' ? value : '';
};

/** Ids are text; some servers have numbers. */
export function idOf(object: Json | undefined): string | null {
  const id = memberOf(object, 'id');
  if (typeof id === 'number') return Number.isSafeInteger(id) ? String(id) : null;
  return typeof id === 'string' && id !== '' ? id : null;
}

/** What was created, or asked for. */
export function resourceOf(answer: Json): RemoteObject {
  const id = idOf(answer);
  if (id === null || !isJsonObject(answer)) throw new ObjectRefused('SCIM Response with missing or invalid `id`');
  return remoteObject(id, answer);
}

/** A text in a filter (RFC 7644 §3.4.2.2). */
export const filterText = (text: string): string => JSON.stringify(text);
