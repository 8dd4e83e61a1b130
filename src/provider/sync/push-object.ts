import { hash } from 'node:crypto';
import type { JsonObject } from '../../lib/json.ts';
import { attemptsIn, type LedgerRow } from './ledger.ts';
import {
  type DeleteAction,
  MissingReference,
  NameTaken,
  ObjectRefused,
  RemoteConflict,
  type RemoteGroups,
  type RemoteMembers,
  RemoteMissing,
  type RemoteObject,
  type RemoteType,
} from './remote.ts';

/** The known state of an object at the target, updated after each call, so that a failure in between loses nothing. */
export interface RemoteState {
  remoteId: string | null;
  attributes: JsonObject;
  members: readonly string[] | null;
  digest: string | null;
  isSending: boolean;
  /** When it was created at the target, if this server did so. */
  created: string | null;
  isRemoved: boolean;
}

export const stateOf = (row: LedgerRow): RemoteState => ({
  remoteId: row.remoteId,
  attributes: row.attributes,
  members: row.members,
  digest: row.digest,
  isSending: row.isSending,
  created: row.created,
  isRemoved: false,
});

export interface Wanted {
  readonly payload: JsonObject;
  /** Remote ids of those who belong to the group. */
  readonly members: readonly string[];
  /** When the newest of the members was created at the target, if this server did so. */
  readonly newestMember: string | null;
}

export const digestOf = (payload: JsonObject): string => hash('sha256', JSON.stringify(payload), 'base64');
const isSent = (last: { readonly digest: string | null }, payload: JsonObject): boolean =>
  digestOf(payload) === last.digest;

/** Whether the object at the target is up to date, as far as known. */
export function isUpToDate(row: LedgerRow, { payload, members }: Wanted, type: RemoteType | RemoteGroups): boolean {
  if (row.remoteId === null || row.error !== '' || !isSent(row, payload)) return false;
  if (!('members' in type) || type.members === null) return true;
  return row.members !== null && isSameSet(row.members, members);
}

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && new Set(one).symmetricDifference(new Set(other)).size === 0;

/** Reserves a remote object; false when another object here is linked to it. */
export type Claim = (remoteId: string) => Promise<boolean>;

interface Dependencies {
  readonly type: RemoteType | RemoteGroups;
  readonly claim: Claim;
  /** The current time, stored with created objects. */
  readonly now: string;
  /** Whether an object created at this time may not be visible everywhere at the target yet (eventual consistency). */
  readonly isSettling: (created: string | null, withinMs?: number) => boolean;
  /**
   * Has the object here sent again that holds the name of a payload. Returns whether it waits for the name of this one
   * in turn.
   */
  readonly isCircle: (payload: JsonObject) => Promise<boolean>;
}

/** Creates or updates the object at the target. Throws an error of `remote.ts`; `state` records the progress. */
export async function writeObject(state: RemoteState, wanted: Wanted, needs: Dependencies): Promise<void> {
  const { type, claim, now, isSettling, isCircle } = needs;
  const { payload } = wanted;
  const digest = digestOf(payload);
  for (const attempt of attemptsIn(state)) {
    if (await adopt(await type.find(attempt))) break;
  }
  if (state.remoteId !== null && !isSent(state, payload)) await update(state.remoteId);
  if (state.remoteId === null) await create();
  if (!('members' in type) || type.members === null) return;
  try {
    await writeMembers(state, wanted.members, type.members);
  } catch (error) {
    if (!(error instanceof RemoteMissing)) throw error;
    if (isSettling(state.created) || isSettling(wanted.newestMember)) throw new MissingReference(error);
    if (!(await isGone())) throw error;
    forget();
    await create();
    await writeMembers(state, wanted.members, type.members);
  }

  /** Links the first object that no other here is linked to. */
  async function adopt(found: readonly RemoteObject[]): Promise<boolean> {
    for (const { id, attributes } of found) {
      if (!(await claim(id))) continue;
      Object.assign(state, { remoteId: id, attributes, members: null, digest: null, isSending: false });
      return true;
    }
    return false;
  }

  function forget(): void {
    Object.assign(state, { remoteId: null, attributes: {}, members: null, digest: null, created: null });
  }

  /** Whether it is the object itself that is missing. */
  async function isGone(): Promise<boolean> {
    try {
      if (state.remoteId !== null) await type.read(state.remoteId);
      return false;
    } catch (error) {
      if (error instanceof RemoteMissing) return true;
      throw error;
    }
  }

  async function update(id: string): Promise<void> {
    try {
      // A manual link has no data of the object yet.
      if (Object.keys(state.attributes).length === 0) state.attributes = (await type.read(id)).attributes;
      // An update whose response was lost may have been applied.
      state.digest = null;
      const attributes = await type.update(id, payload);
      Object.assign(state, { attributes: attributes ?? state.attributes, digest, isSending: false });
    } catch (error) {
      if (error instanceof RemoteConflict && (await isCircle(payload)) && type.park) {
        await type.park(id, payload);
        throw new RemoteConflict(
          `${error.message} Objects exchange their names: this one has another until the name is free.`,
        );
      }
      if (!(error instanceof RemoteMissing)) throw error;
      if (isSettling(state.created)) throw new MissingReference(error);
      forget();
    }
  }

  async function create(): Promise<void> {
    state.isSending = true;
    if (attemptsIn(state).length === 0) state.attributes = { creating: [payload] };
    try {
      const { id, attributes } = await type.create(payload);
      if (!(await claim(id))) throw takenBy(id);
      Object.assign(state, { remoteId: id, attributes, members: [], digest, isSending: false, created: now });
    } catch (error) {
      if (!(error instanceof RemoteConflict)) throw error;
      const found = await type.find(payload);
      if (found[0] === undefined) {
        if (error instanceof NameTaken) throw error;
        throw new NameTaken(`${error.message} It cannot be found there, so it cannot be linked.`);
      }
      if (!(await adopt(found)) || state.remoteId === null) {
        await isCircle(payload);
        throw takenBy(found[0].id);
      }
      const attributes = await type.update(state.remoteId, payload);
      Object.assign(state, { attributes: attributes ?? state.attributes, digest });
    }
  }
}

/** That other may be about to be removed or renamed. */
const takenBy = (id: string) => new RemoteConflict(`The remote object ${id} is linked to another object here.`);

/** Compares the members and makes up the difference. */
async function writeMembers(state: RemoteState, wanted: readonly string[], members: RemoteMembers): Promise<void> {
  const { remoteId: id, members: known } = state;
  if (id === null) return;
  try {
    await change(id, known ?? (await members.list(id)));
  } catch (error) {
    const isGuess = known !== null && (error instanceof ObjectRefused || error instanceof RemoteMissing);
    state.members = null;
    if (!isGuess) throw error;
    // The group was changed at the target.
    await change(id, await members.list(id));
  }

  async function change(id: string, from: readonly string[]): Promise<void> {
    const [have, want] = [new Set(from), new Set(wanted)];
    state.members = null;
    const surplus = [...have.difference(want)];
    const missing = [...want.difference(have)];
    if (surplus.length > 0) await members.remove(id, surplus);
    if (missing.length > 0) await members.add(id, missing);
    state.members = [...want];
  }
}

const appearsWithinMs = 60_000;

/** Members by which targets keep the key of an object here. */
const keysHere = ['externalId', 'onPremisesImmutableId'];

const isMadeBy = (attempt: JsonObject, { attributes }: RemoteObject): boolean =>
  keysHere.every((name) => attempt[name] === undefined || attributes[name] === attempt[name]);

/** Removes an object that left the scope, as configured; also one that an interrupted creation may have left. */
export async function removeObject(
  state: RemoteState,
  action: DeleteAction,
  { type, claim, isSettling }: Pick<Dependencies, 'type' | 'claim' | 'isSettling'>,
): Promise<void> {
  const ids = new Set(state.remoteId === null ? [] : [state.remoteId]);
  for (const attempt of action === 'do_nothing' ? [] : attemptsIn(state)) {
    for (const found of await type.find(attempt)) {
      // Another object here may have the name now, or another user had it at the target before.
      if (!isMadeBy(attempt, found) || !(await claim(found.id))) continue;
      ids.add(found.id);
      break;
    }
  }
  for (const id of ids) {
    try {
      if (action === 'delete') await type.remove(id);
      else if (action === 'suspend') await type.suspend?.(id);
    } catch (error) {
      if (!(error instanceof RemoteMissing)) throw error;
      // It may still appear there. More likely the response to an earlier deletion was lost, so the wait is shorter.
      if (id === state.remoteId && isSettling(state.created, appearsWithinMs)) throw new MissingReference(error);
    }
  }
  state.isRemoved = true;
}
