import { asObject, isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { objectOf, textOf } from '../../../provider/sync/answers.ts';
import { ObjectRefused, RemoteConflict, type RemoteType } from '../../../provider/sync/remote.ts';
import type { Send } from '../../../provider/sync/send.ts';

/** Members in the interface's own spelling: mappings may write `display_name` for `displayName`. */
function camelCased(value: Json): Json {
  if (Array.isArray(value)) return value.map(camelCased);
  if (!isJsonObject(value)) return value;
  const renamed = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [renamed(name), camelCased(inner)]));
}

export const membersOf = (mapped: JsonObject): JsonObject => asObject(camelCased(mapped));

/** A text in a filter: quotes are doubled (OData 4.01 §5.1.1.6.1). */
const filterText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The vendor answers 400 where there is such an object. */
const exists = /already exists|ObjectConflict|same value for property/i;

async function withRemoteErrors(answer: Promise<Json>): Promise<Json> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof ObjectRefused && exists.test(error.message) ? new RemoteConflict(error.message) : error;
  }
}

/**
 * The calls that users and groups have in common; `by` is the member that names an object once. `members` are those to
 * read of an object, by default the usual ones.
 */
export function sharedCalls(
  send: Send,
  url: string,
  by: string,
  members: readonly string[] = [],
): Pick<RemoteType, 'create' | 'update' | 'remove' | 'find' | 'read'> & { one(id: string): string } {
  const one = (id: string) => `${url}/${encodeURIComponent(id)}`;
  const asking = (address: string) =>
    members.length === 0 ? address : `${address}${address.includes('?') ? '&' : '?'}$select=${members.join(',')}`;
  return {
    one,
    create: async (payload) => objectOf(await withRemoteErrors(send({ method: 'POST', url, body: payload }))),
    async update(id, payload) {
      // Answered without a body.
      await withRemoteErrors(send({ method: 'PATCH', url: one(id), body: payload }));
      return null;
    },
    async remove(id) {
      await send({ method: 'DELETE', url: one(id) });
    },
    async find(payload) {
      const name = textOf(payload, by);
      if (name === '') return [];
      const filter = encodeURIComponent(`${by} eq ${filterText(name)}`);
      const answer = await send({ method: 'GET', url: asking(`${url}?$filter=${filter}`) });
      const found = isJsonObject(answer) && Array.isArray(answer.value) ? answer.value : [];
      return found.filter((entry) => textOf(entry, by).toLowerCase() === name.toLowerCase()).map(objectOf);
    },
    read: async (id) => objectOf(await send({ method: 'GET', url: asking(one(id)) })),
  };
}
