import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { ObjectRefused, type RemoteObject, remoteObject } from './remote.ts';

/** A member of a response as text; empty if missing. */
export function textOf(object: Json | undefined, name: string): string {
  const value = isJsonObject(object) ? object[name] : undefined;
  return typeof value === 'string' ? value : '';
}

/** A user or group of a directory with its id, which never changes; its address may. */
export function objectOf(answer: Json): RemoteObject {
  const id = textOf(answer, 'id');
  if (!isJsonObject(answer) || id === '') throw new ObjectRefused('The directory answered without an id.');
  return remoteObject(id, answer);
}

/** The object in a response; null without one. */
export const attributesOf = (answer: Json): JsonObject | null =>
  isJsonObject(answer) && Object.keys(answer).length > 0 ? answer : null;
