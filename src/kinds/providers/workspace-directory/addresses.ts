import type { Json, JsonObject } from '../../../lib/json.ts';
import { attributesOf, objectOf, textOf } from '../../../provider/sync/answers.ts';
import {
  ignoring,
  NameTaken,
  RemoteConflict,
  RemoteMissing,
  type RemoteObject,
} from '../../../provider/sync/remote.ts';
import type { Send } from '../../../provider/sync/send.ts';
import { isTemporaryName, temporaryName } from '../../../provider/sync/temporary-name.ts';

/**
 * The calls that depend on addresses, which `by` holds. The directory finds users and groups by their aliases too:
 * those belong to others. It keeps a former address as an alias.
 */
export function addressCalls(send: Send, url: string, by: 'primaryEmail' | 'email') {
  const one = (key: string) => `${url}/${encodeURIComponent(key)}`;
  const addressOf = (object: Json) => textOf(object, by);
  const read = (key: string) => send({ method: 'GET', url: one(key) });
  const removeAlias = (id: string, alias: string) =>
    ignoring(RemoteMissing, () => send({ method: 'DELETE', url: `${one(id)}/aliases/${encodeURIComponent(alias)}` }));

  async function holderOf(address: string): Promise<RemoteObject | null> {
    try {
      return objectOf(await read(address));
    } catch (error) {
      if (error instanceof RemoteMissing) return null;
      throw error;
    }
  }

  /** Who has the address of a payload as an alias. */
  async function aliasHolderOf(payload: JsonObject): Promise<RemoteObject | null> {
    const address = addressOf(payload);
    const holder = address === '' ? null : await holderOf(address);
    return holder && !isSameAddress(addressOf(holder.attributes), address) ? holder : null;
  }

  const aliasTaken = (payload: JsonObject, holder: RemoteObject) =>
    new NameTaken(
      `${addressOf(payload)} is an alias of ${addressOf(holder.attributes)} in the directory. Remove the alias there, or choose another address here.`,
    );

  return {
    one,
    async find(payload: JsonObject): Promise<readonly RemoteObject[]> {
      const holder = await holderOf(addressOf(payload));
      return holder && isSameAddress(addressOf(holder.attributes), addressOf(payload)) ? [holder] : [];
    },
    async create(body: JsonObject): Promise<RemoteObject> {
      try {
        return objectOf(await send({ method: 'POST', url, body }));
      } catch (error) {
        const holder = error instanceof RemoteConflict ? await aliasHolderOf(body) : null;
        throw holder ? aliasTaken(body, holder) : error;
      }
    },
    async update(id: string, payload: JsonObject): Promise<JsonObject | null> {
      const put = () => send({ method: 'PUT', url: one(id), body: payload });
      const answer = await put().catch(async (error: unknown) => {
        const holder = error instanceof RemoteConflict ? await aliasHolderOf(payload) : null;
        if (!holder) throw error;
        if (!isTemporaryName(addressOf(await read(id)))) throw aliasTaken(payload, holder);
        // Two have exchanged their addresses, and the directory left the other one's as an alias.
        await removeAlias(holder.id, addressOf(payload));
        return put();
      });
      for (const alias of aliasesOf(answer).filter(isTemporaryName)) await removeAlias(id, alias);
      return attributesOf(answer);
    },
    async park(id: string, payload: JsonObject): Promise<void> {
      const former = addressOf(await read(id));
      await send({ method: 'PUT', url: one(id), body: { [by]: temporaryName(addressOf(payload)) } });
      await removeAlias(id, former);
    },
  };
}

const isSameAddress = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

function aliasesOf(answer: Json): readonly string[] {
  const aliases = attributesOf(answer)?.aliases;
  return Array.isArray(aliases) ? aliases.filter((one) => typeof one === 'string') : [];
}
