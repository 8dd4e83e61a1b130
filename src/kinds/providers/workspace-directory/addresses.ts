import type { Json } from '../../../lib/json.ts';
import { textOf } from '../../../provider/sync/answers.ts';
import { NameTaken, RemoteConflict, RemoteMissing } from '../../../provider/sync/remote.ts';
import type { Send } from '../../../provider/sync/send.ts';

export const isSameAddress = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The user or group with this address; null where there is none. The directory answers for aliases too: those are of somebody else. */
export async function holderOf(send: Send, url: string, address: string): Promise<Json | null> {
  try {
    return await send({ method: 'GET', url: `${url}/${encodeURIComponent(address)}` });
  } catch (error) {
    if (error instanceof RemoteMissing) return null;
    throw error;
  }
}

/** Sends a write; a conflict about an alias says whose it is. `by` is the member with the address. */
export async function naming(
  answer: Promise<Json>,
  send: Send,
  url: string,
  by: string,
  address: string,
): Promise<Json> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof RemoteConflict) || address === '') throw error;
    const holder = await holderOf(send, url, address);
    const owner = holder === null ? '' : textOf(holder, by);
    if (owner === '' || isSameAddress(owner, address)) throw error;
    throw new NameTaken(
      `${address} is an alias of ${owner} in the directory. Remove the alias there, or choose another address here.`,
    );
  }
}
