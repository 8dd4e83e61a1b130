import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { ObjectRefused, type RemoteObject, remoteObject } from '../../../provider/sync/remote.ts';

/** A user or group with its id, which never changes; its address may. */
export function objectOf(answer: Json): RemoteObject {
  const id = isJsonObject(answer) ? answer.id : undefined;
  if (!isJsonObject(answer) || typeof id !== 'string' || id === '') {
    throw new ObjectRefused('The directory answered without an id.');
  }
  return remoteObject(id, answer);
}

export const attributesOf = (answer: Json): JsonObject | null =>
  isJsonObject(answer) && Object.keys(answer).length > 0 ? answer : null;

export const textOf = (object: Json | undefined, name: string): string => {
  const value = isJsonObject(object) ? object[name] : undefined;
  return typeof value === 'string' ? value : '';
};
