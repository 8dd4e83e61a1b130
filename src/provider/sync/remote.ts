import type { JsonObject } from '../../lib/json.ts';
import type { ObjectFacts } from './facts.ts';

/** An object at the target. */
export interface RemoteObject {
  readonly id: string;
  /** Its data at the target. */
  readonly attributes: JsonObject;
}

/** Longer ids could not be indexed. */
const maxIdLength = 1_024;

/** Responses of targets are untrusted: the id must be storable. */
export function remoteObject(id: string, attributes: JsonObject): RemoteObject {
  if (id.length > maxIdLength) throw new ObjectRefused('The target answered with an id that is too long.');
  return { id, attributes };
}

/** An object found by discovery, with the names by which it may be matched: user names, addresses, group names. */
export interface Candidate extends RemoteObject {
  readonly names: readonly string[];
}

export type DeleteAction = 'do_nothing' | 'delete' | 'suspend';

/** The calls that a target offers for one type of object. They throw the errors below. */
export interface RemoteType {
  /**
   * Adds what mappings omit and validates the result. `members` are the remote ids of a group's members; `known` is the
   * target's last representation of the object, null before it is linked.
   */
  complete(mapped: JsonObject, facts: ObjectFacts, members: readonly string[], known: JsonObject | null): JsonObject;
  create(payload: JsonObject): Promise<RemoteObject>;
  /** Its current data at the target; null if unknown. */
  update(id: string, payload: JsonObject): Promise<JsonObject | null>;
  /** Renames it temporarily, so that its name is free; null if names need not be unique. */
  readonly park: ((id: string, payload: JsonObject) => Promise<void>) | null;
  remove(id: string): Promise<void>;
  /** Leaves it there, out of use; null when the target has no such thing. */
  readonly suspend: ((id: string) => Promise<void>) | null;
  /**
   * Candidates for the object with this payload, the most likely first: after a conflict, and after a crash during a
   * creation.
   */
  find(payload: JsonObject): Promise<readonly RemoteObject[]>;
  read(id: string): Promise<RemoteObject>;
  /** All objects, page by page; null when the target cannot list them. */
  list(): AsyncIterable<readonly Candidate[]> | null;
}

export interface RemoteGroups extends RemoteType {
  /** Null when members are part of the payload. */
  readonly members: RemoteMembers | null;
}

export interface RemoteMembers {
  list(id: string): Promise<readonly string[]>;
  add(id: string, members: readonly string[]): Promise<void>;
  remove(id: string, members: readonly string[]): Promise<void>;
}

export interface Remote {
  readonly user: RemoteType;
  readonly group: RemoteGroups;
}

/** The object is not there. */
export class RemoteMissing extends Error {}

/** There is such an object already. */
export class RemoteConflict extends Error {}

/** There is, and it cannot be linked. */
export class NameTaken extends RemoteConflict {}

/** The target does not take this object; others may go well. */
export class ObjectRefused extends Error {}

/** Whether an error concerns one object, not the whole target. */
export const isOfObject = (error: unknown): error is RemoteMissing | RemoteConflict | ObjectRefused =>
  error instanceof RemoteMissing || error instanceof RemoteConflict || error instanceof ObjectRefused;

/** It may go well later. */
export class Unavailable extends Error {
  readonly retryAfterMs: number;
  /** Whether it is the target that is not available, and not only this object. */
  readonly isWholeTarget: boolean;

  constructor(message: string, isWholeTarget: boolean, retryAfterMs = 0) {
    super(message);
    this.isWholeTarget = isWholeTarget;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The target is eventually consistent: a new object is not visible everywhere yet. Retrying helps. */
export class MissingReference extends Unavailable {
  constructor({ message }: Error) {
    super(`${message} What was made a moment ago may not be known everywhere there, so it is tried again.`, false);
  }
}

/** Nothing will go well until an administrator changes something: credentials, address, mappings. */
export class SyncStopped extends Error {}

/** The token is refused: another one may be taken. */
export class Unauthorized extends SyncStopped {}

const maxMissing = 3;

/**
 * Adds members one by one. One that is missing does not keep the others out; several in a row mean that the group is.
 */
export async function addEach(members: readonly string[], add: (member: string) => Promise<void>): Promise<void> {
  let missing: RemoteMissing | null = null;
  let inARow = 0;
  for (const member of members) {
    try {
      await add(member);
      inARow = 0;
    } catch (error) {
      if (!(error instanceof RemoteMissing)) throw error;
      missing ??= error;
      inARow += 1;
      if (inARow === maxMissing) break;
    }
  }
  if (missing) throw missing;
}

/** What is so already needs no doing. */
export async function ignoring(expected: new (message: string) => Error, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof expected)) throw error;
  }
}
