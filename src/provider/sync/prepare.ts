import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import type { Call } from '../../resource/call.ts';
import { loadFacts, type ObjectFacts, type ObjectType } from './facts.ts';
import { type LedgerRow, loadRows, newRow } from './ledger.ts';
import { mapObject } from './payload.ts';
import type { Wanted } from './push-object.ts';
import type { RemoteGroups, RemoteType } from './remote.ts';
import { keysInScope, type ObjectKey } from './scope.ts';
import type { Target } from './target.ts';

/** The pending work for one object. */
export interface Work {
  readonly row: LedgerRow;
  /** The object has no row in the ledger yet. */
  readonly isNew: boolean;
  /** A mapping leaves it out: whatever is at the target stays there. */
  readonly isSkipped: boolean;
  /** Null: it is to be removed. */
  readonly wanted: Wanted | null;
  /** Why nothing can be sent. */
  readonly error: Error | null;
}

/** Rows are read before objects: changes in between stay pending. */
export async function prepareWork(
  { target, call }: { readonly target: Target; readonly call: Call },
  type: ObjectType,
  keys: readonly ObjectKey[],
  remote: RemoteType | RemoteGroups,
  verifies: boolean,
): Promise<Work[]> {
  const { db } = call;
  const { settings, installId } = target.kind.needs;
  const rows = await loadRows(db.read, target.pk, type, keys);
  const inScope = await keysInScope(db.read, target, type, keys);
  const { avatars } = await settings.current();
  const { publicHost } = call.world;
  const facts = await loadFacts(db.dialect, db.read, type, inScope, { installId, avatars, publicHost });
  const members = type === 'group' ? await membersOf(db.read, target, inScope) : null;
  const known = new Set(rows.map(({ object }) => object));
  const works = [
    ...rows.map((row) => ({ row: verifies ? { ...row, members: null } : row, isNew: false })),
    ...inScope.filter((key) => !known.has(key)).map((key) => ({ row: newRow(key), isNew: true })),
  ].map(({ row, isNew }) => {
    const { object } = row;
    const known = { row, facts: facts.get(object), members: members?.get(object) ?? noMembers };
    return { row, isNew, ...wantedOf(target, type, known, remote) };
  });
  // What was never sent and is not to be needs no row.
  return works.filter(({ isNew, wanted, error }) => !isNew || wanted !== null || error !== null);
}

function wantedOf(
  target: Target,
  type: ObjectType,
  { row, facts, members: { ids, created } }: KnownObject,
  remote: RemoteType | RemoteGroups,
): Pick<Work, 'isSkipped' | 'wanted' | 'error'> {
  if (!facts) return { isSkipped: false, wanted: null, error: null };
  try {
    const connection = row.remoteId === null ? null : row.attributes;
    const mapped = mapObject(target.kind.needs.sandbox, target, type, facts, connection);
    if (mapped === null) return { isSkipped: true, wanted: null, error: null };
    const payload = remote.complete(mapped, facts, ids, connection);
    return { isSkipped: false, wanted: { payload, members: ids, newestMember: created }, error: null };
  } catch (error) {
    return { isSkipped: false, wanted: null, error: error instanceof Error ? error : new Error(String(error)) };
  }
}

interface KnownObject {
  readonly row: LedgerRow;
  /** Missing if it is deleted or out of scope. */
  readonly facts: ObjectFacts | undefined;
  readonly members: Members;
}

interface Members {
  readonly ids: string[];
  /** When the newest of them was created at the target. */
  readonly created: string | null;
}

const noMembers: Members = { ids: [], created: null };

/** Remote ids of the members of each group, as far as they are linked. */
async function membersOf(query: Query, target: Target, groups: readonly ObjectKey[]): Promise<Map<ObjectKey, Members>> {
  const found = new Map<ObjectKey, Members>();
  if (groups.length === 0) return found;
  const { rows } = await sql<{
    group: string;
    id: string;
    created: string | null;
  }>`select ug."group", l.remote_id as id, l.created from user_groups ug
    join sync_objects l on l.provider = ${target.pk} and l."user" = ug."user" and l.remote_id is not null
    where ug."group" in (${sql.join(groups)}) order by l.remote_id`.execute(query);
  for (const { group, id, created } of rows) {
    const { ids, created: newest } = found.get(group) ?? { ids: [], created: null };
    ids.push(id);
    found.set(group, { ids, created: newest !== null && (created === null || newest > created) ? newest : created });
  }
  return found;
}
