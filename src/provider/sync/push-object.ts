import { hash } from 'node:crypto';
import type { JsonObject } from '../../lib/json.ts';
import { attemptsIn, type LedgerRow } from './ledger.ts';
import {
  type DeleteAction,
  NameTaken,
  ObjectRefused,
  RemoteConflict,
  type RemoteGroups,
  type RemoteMembers,
  RemoteMissing,
  type RemoteType,
} from './remote.ts';

/** What is known of an object at the target; kept up to date call by call, so that a failure in the middle loses nothing. */
export interface RemoteState {
  remoteId: string | null;
  attributes: JsonObject;
  members: readonly string[] | null;
  digest: string | null;
  isSending: boolean;
  isRemoved: boolean;
}

export const stateOf = (row: LedgerRow): RemoteState => ({
  remoteId: row.remoteId,
  attributes: row.attributes,
  members: row.members,
  digest: row.digest,
  isSending: row.isSending,
  isRemoved: false,
});

export interface Wanted {
  readonly payload: JsonObject;
  /** Remote ids of those who belong to the group. */
  readonly members: readonly string[];
}

export const digestOf = (payload: JsonObject): string => hash('sha256', JSON.stringify(payload), 'base64');
const isSent = (last: { readonly digest: string | null }, payload: JsonObject): boolean =>
  digestOf(payload) === last.digest;

/** Whether the target has the object as it should be, by all that is known here. */
export function isUpToDate(row: LedgerRow, { payload, members }: Wanted, type: RemoteType | RemoteGroups): boolean {
  if (row.remoteId === null || row.error !== '' || !isSent(row, payload)) return false;
  if (!('members' in type) || type.members === null) return true;
  return row.members !== null && isSameSet(row.members, members);
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && new Set(one).symmetricDifference(new Set(other)).size === 0;

interface Needs {
  readonly type: RemoteType | RemoteGroups;
  /** Whether another object here is linked to this remote one. */
  isTaken(remoteId: string): Promise<boolean>;
}

/** Makes the object at the target as it should be. Throws an error of `remote.ts`; `state` says how far it came. */
export async function writeObject(state: RemoteState, wanted: Wanted, { type, isTaken }: Needs): Promise<void> {
  const { payload } = wanted;
  const digest = digestOf(payload);
  for (const attempt of attemptsIn(state)) {
    if (await adopt(attempt)) break;
  }
  if (state.remoteId !== null && !isSent(state, payload)) await update(state.remoteId);
  if (state.remoteId === null) await create();
  if ('members' in type && type.members && state.remoteId !== null) {
    await writeMembers(state, state.remoteId, wanted.members, type.members);
  }

  async function adopt(as: JsonObject): Promise<boolean> {
    const found = await type.find(as);
    if (found === null) return false;
    if (await isTaken(found.id)) {
      // That other may be about to be removed or renamed.
      throw new RemoteConflict(`The remote object ${found.id} is linked to another object here.`);
    }
    Object.assign(state, {
      remoteId: found.id,
      attributes: found.attributes,
      members: null,
      digest: null,
      isSending: false,
    });
    return true;
  }

  async function update(id: string): Promise<void> {
    try {
      // A link that was made by hand says nothing of the object yet.
      if (Object.keys(state.attributes).length === 0) state.attributes = (await type.read(id)).attributes;
      const attributes = await type.update(id, payload);
      Object.assign(state, { attributes: attributes ?? state.attributes, digest, isSending: false });
    } catch (error) {
      if (!(error instanceof RemoteMissing)) throw error;
      Object.assign(state, { remoteId: null, attributes: {}, members: null, digest: null });
    }
  }

  async function create(): Promise<void> {
    state.isSending = true;
    if (attemptsIn(state).length === 0) state.attributes = { creating: [payload] };
    try {
      const { id, attributes } = await type.create(payload);
      Object.assign(state, { remoteId: id, attributes, members: [], digest, isSending: false });
    } catch (error) {
      if (!(error instanceof RemoteConflict)) throw error;
      if (!(await adopt(payload)) || state.remoteId === null) {
        throw new NameTaken(`${error.message} It cannot be found there, so it cannot be linked.`);
      }
      const id = state.remoteId;
      const attributes = await type.update(id, payload);
      Object.assign(state, { attributes: attributes ?? state.attributes, digest });
    }
  }
}

/** Compares the members and makes up the difference. */
async function writeMembers(
  state: RemoteState,
  id: string,
  wanted: readonly string[],
  members: RemoteMembers,
): Promise<void> {
  const known = state.members;
  try {
    await change(known ?? (await members.list(id)));
  } catch (error) {
    const isGuess = known !== null && (error instanceof ObjectRefused || error instanceof RemoteMissing);
    state.members = null;
    if (!isGuess) throw error;
    // Somebody else has changed the group there.
    await change(await members.list(id));
  }

  async function change(from: readonly string[]): Promise<void> {
    const [have, want] = [new Set(from), new Set(wanted)];
    state.members = null;
    const surplus = [...have.difference(want)];
    const missing = [...want.difference(have)];
    if (surplus.length > 0) await members.remove(id, surplus);
    if (missing.length > 0) await members.add(id, missing);
    state.members = [...want];
  }
}

/** Takes away what has left the scope, as the provider says; what a lost creation may have left there too. */
export async function removeObject(
  state: RemoteState,
  type: RemoteType,
  action: DeleteAction,
  isTaken: Needs['isTaken'],
): Promise<void> {
  const ids = new Set(state.remoteId === null ? [] : [state.remoteId]);
  for (const attempt of action === 'do_nothing' ? [] : attemptsIn(state)) {
    const found = await type.find(attempt);
    // Another object here may have got the name meanwhile.
    if (found && !(await isTaken(found.id))) ids.add(found.id);
  }
  for (const id of ids) {
    try {
      if (action === 'delete') await type.remove(id);
      else if (action === 'suspend') await type.suspend?.(id);
    } catch (error) {
      if (!(error instanceof RemoteMissing)) throw error;
    }
  }
  state.isRemoved = true;
}
