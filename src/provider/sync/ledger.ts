import { sql } from 'kysely';
import { asObject, isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Query } from '../../platform/db/database.ts';
import { orderedUuid } from '../../platform/random.ts';
import type { Call } from '../../resource/call.ts';
import type { ObjectType } from './facts.ts';
import type { ObjectKey } from './scope.ts';
import type { SentRequest } from './send.ts';
import type { LinkTable } from './target.ts';

/** The ledger row of one object at one target. */
export interface LedgerRow {
  readonly pk: string;
  readonly object: ObjectKey;
  readonly remoteId: string | null;
  /** The target's last representation. Until it is linked: the payloads of creations, see `attemptsIn`. */
  readonly attributes: JsonObject;
  /** Remote ids of a group's members as last seen there; null when unknown. */
  readonly members: readonly string[] | null;
  /** Of the payload that was last taken. */
  readonly digest: string | null;
  /** A creation whose outcome is unknown. */
  readonly isSending: boolean;
  /** Changes that are still to be sent. */
  readonly pending: number;
  /** A moment is set at which it is to be sent. */
  readonly isDue: boolean;
  readonly attempts: number;
  readonly error: string;
  /** When it was created at the target, if this server did so. */
  readonly created: string | null;
}

interface StoredRow {
  readonly pk: string;
  readonly object: ObjectKey;
  readonly remote_id: string | null;
  readonly attributes: string;
  readonly members: string | null;
  readonly digest: string | null;
  readonly is_sending: unknown;
  readonly pending: number;
  readonly is_due: unknown;
  readonly attempts: number;
  readonly error: string;
  readonly created: string | null;
}

function rowOf(raw: StoredRow): LedgerRow {
  return {
    pk: raw.pk,
    object: raw.object,
    remoteId: raw.remote_id,
    attributes: asObject(JSON.parse(raw.attributes)),
    members: raw.members === null ? null : JSON.parse(raw.members),
    digest: raw.digest,
    isSending: Boolean(raw.is_sending),
    pending: raw.pending,
    isDue: Boolean(raw.is_due),
    attempts: raw.attempts,
    error: raw.error,
    created: raw.created,
  };
}

const columns = (type: ObjectType) =>
  sql`pk, ${sql.ref(type)} as object, remote_id, attributes, members, digest, is_sending, pending,
    due is not null as is_due, attempts, error, created`;

/** The rows of these objects, for those that have one. */
export async function loadRows(
  query: Query,
  provider: number,
  type: ObjectType,
  keys: readonly ObjectKey[],
): Promise<LedgerRow[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<StoredRow>`select ${columns(type)} from sync_objects
    where provider = ${provider} and ${sql.ref(type)} in (${sql.join(keys)})`.execute(query);
  return rows.map(rowOf);
}

/**
 * Rows of users or of groups. By `is not null` SQLite would scan all rows of a provider instead of using a better
 * index.
 */
export const isOfType = (type: ObjectType) => sql`not (${sql.ref(type)} is null)`;

/** The rows that are due, those that have waited longest first. */
export async function dueRows(
  { db, now }: Call,
  provider: number,
  type: ObjectType,
  limit: number,
): Promise<LedgerRow[]> {
  const { rows } = await sql<StoredRow>`select ${columns(type)} from sync_objects
    where provider = ${provider} and ${isOfType(type)} and due <= ${db.dialect.moment(now)}
    order by due, pk limit ${limit}`.execute(db.read);
  return rows.map(rowOf);
}

/** In how many milliseconds the next row is due; null when none waits. */
export async function nextDue({ db, now }: Call, tx: Query, provider: number): Promise<number | null> {
  const { rows } = await sql<{ wait: number | null }>`select ${db.dialect.millisecondsUntil(sql`min(due)`, now)} as wait
    from sync_objects where provider = ${provider} and due is not null`.execute(tx);
  return rows[0]?.wait ?? null;
}

/** Marks objects to be sent as soon as possible; creates missing rows. */
export async function markDue(
  { db, now }: Call,
  tx: Query,
  provider: number,
  type: ObjectType,
  keys: readonly ObjectKey[],
): Promise<void> {
  if (keys.length === 0) return;
  const moment = db.dialect.moment(now);
  const rows = keys.map((key) => sql`(${orderedUuid()}, ${provider}, ${key}, 1, ${moment})`);
  await sql`insert into sync_objects (pk, provider, ${sql.ref(type)}, pending, due) values ${sql.join(rows)}
    on conflict (provider, ${sql.ref(type)}) do update
    set pending = sync_objects.pending + 1, due = excluded.due, attempts = 0`.execute(tx);
}

/** Has what another needs the name of sent again, unless it is about to be. */
export async function markRenamed(
  { db, now }: Call,
  tx: Query,
  provider: number,
  type: ObjectType,
  keys: readonly ObjectKey[],
): Promise<void> {
  if (keys.length === 0) return;
  await sql`update sync_objects set digest = null, pending = case when due is null then pending + 1 else pending end,
    due = ${db.dialect.moment(now)} where provider = ${provider} and ${sql.ref(type)} in (${sql.join(keys)})`.execute(
    tx,
  );
}

/** The row that is linked to a remote object. */
export async function rowLinkedTo(
  query: Query,
  provider: number,
  type: ObjectType,
  remoteId: string,
): Promise<LedgerRow | undefined> {
  const { rows } = await sql<StoredRow>`select ${columns(type)} from sync_objects where provider = ${provider}
    and remote_id = ${remoteId} and ${isOfType(type)}`.execute(query);
  return rows[0] && rowOf(rows[0]);
}

const maxAttempted = 5;

/**
 * Payloads of creations with unknown outcome. They identify the remote object even if ours has changed since or was
 * deleted.
 */
export function attemptsIn({
  remoteId,
  isSending,
  attributes,
}: Pick<LedgerRow, 'remoteId' | 'isSending' | 'attributes'>): readonly JsonObject[] {
  if (remoteId !== null || !isSending) return [];
  const { creating } = attributes;
  return Array.isArray(creating) ? creating.filter(isJsonObject) : [];
}

/** The same with one more. */
export function withAttempt(row: LedgerRow, payload: JsonObject): JsonObject {
  const others = attemptsIn(row).filter((one) => JSON.stringify(one) !== JSON.stringify(payload));
  return { creating: [...others, payload].slice(-maxAttempted) };
}

/** A row for an object without one. */
export const newRow = (object: ObjectKey): LedgerRow => ({
  ...{ pk: orderedUuid(), object, remoteId: null, attributes: {}, members: null, digest: null },
  ...{ isSending: false, pending: 0, isDue: false, attempts: 0, error: '', created: null },
});

/**
 * Stores that requests are about to be sent: until they finish, the state at the target is unknown. Returns the keys of
 * the rows by object: another worker may have stored new ones first.
 */
export async function storeSending(
  tx: Query,
  provider: number,
  type: ObjectType,
  rows: readonly LedgerRow[],
): Promise<Map<ObjectKey, string>> {
  if (rows.length === 0) return new Map();
  const values = rows.map(
    ({ pk, object, isSending, attributes }) =>
      sql`(${pk}, ${provider}, ${object}, ${isSending}, ${JSON.stringify(attributes)})`,
  );
  const stored = await sql<{
    pk: string;
    object: ObjectKey;
  }>`insert into sync_objects (pk, provider, ${sql.ref(type)}, is_sending, attributes)
    values ${sql.join(values)} on conflict (provider, ${sql.ref(type)}) do update
    set is_sending = excluded.is_sending, attributes = excluded.attributes, digest = null, members = null
    returning pk, ${sql.ref(type)} as object`.execute(tx);
  return new Map(stored.rows.map(({ pk, object }) => [object, pk]));
}

/** How an attempt at one object ended. */
export interface Result {
  readonly row: LedgerRow;
  readonly isRemoved: boolean;
  readonly remoteId: string | null;
  readonly attributes: JsonObject;
  readonly members: readonly string[] | null;
  readonly digest: string | null;
  readonly isSending: boolean;
  readonly created: string | null;
  readonly error: string;
  /** Null: nothing to do until something changes. */
  readonly retryInMs: number | null;
  readonly requests: readonly SentRequest[];
}

/** Bounds the stored data of an object: a target may respond with anything. */
const maxAttributes = 65_536;

function keptOf({ remoteId, attributes }: Pick<Result, 'remoteId' | 'attributes'>): JsonObject {
  // Payloads of our own, by which the object is found again.
  if (remoteId === null) return attributes;
  let room = maxAttributes;
  const isKept = ([name, value]: [string, Json]) => {
    const size = name.length + JSON.stringify(value).length;
    if (size > room) return false;
    room -= size;
    return true;
  };
  return Object.fromEntries(Object.entries(attributes).filter(isKept));
}

/** Stores the results of attempts. Concurrent changes stay due. */
export async function storeResults(
  { db, now }: Call,
  tx: Query,
  provider: number,
  type: ObjectType,
  results: readonly Result[],
): Promise<void> {
  if (results.length === 0) return;
  const values = results.map((result) => {
    const { row, isRemoved, retryInMs, requests } = result;
    const due = retryInMs === null ? sql`null` : db.dialect.moment(now, retryInMs);
    // What is still to be retried stays pending.
    const handled = retryInMs === null ? row.pending : 0;
    return sql`(${row.pk}, ${provider}, ${row.object}, ${isRemoved ? null : result.remoteId}, ${JSON.stringify(keptOf(result))},
      ${result.members && JSON.stringify(result.members)}, ${result.digest}, ${result.isSending}, ${result.created}, ${handled}, ${due},
      ${retryInMs === null ? 0 : row.attempts + 1}, ${result.error}, ${JSON.stringify(requests)}, ${requests.length > 0 ? now : null})`;
  });
  await sql`insert into sync_objects (pk, provider, ${sql.ref(type)}, remote_id, attributes, members, digest, is_sending, created,
      pending, due, attempts, error, requests, last_sent) values ${sql.join(values)}
    on conflict (pk) do update set remote_id = excluded.remote_id, attributes = excluded.attributes, members = excluded.members,
      digest = excluded.digest, is_sending = excluded.is_sending, created = excluded.created, attempts = excluded.attempts, error = excluded.error,
      requests = case when excluded.last_sent is null then sync_objects.requests else excluded.requests end,
      last_sent = coalesce(excluded.last_sent, sync_objects.last_sent),
      pending = sync_objects.pending - excluded.pending,
      due = case when excluded.due is not null then excluded.due
        when sync_objects.pending > excluded.pending then sync_objects.due end`.execute(tx);
  const removed = results.filter(({ isRemoved }) => isRemoved).map(({ row }) => row.pk);
  if (removed.length > 0) {
    await sql`delete from sync_objects where pk in (${sql.join(removed)}) and pending <= 0`.execute(tx);
  }
}

/** Shows links as the API has them: those that are new, have changed or are gone. */
export async function storeLinks(
  tx: Query,
  provider: number,
  type: ObjectType,
  { table, id, hasAttributes }: LinkTable,
  results: readonly Result[],
): Promise<void> {
  const moved = results.filter(({ row, remoteId, isRemoved }) => isRemoved || remoteId !== row.remoteId);
  if (moved.length > 0) {
    await sql`delete from ${sql.table(table)} where provider = ${provider}
      and ${sql.ref(type)} in (${sql.join(moved.map(({ row }) => row.object))})`.execute(tx);
  }
  const linked = results.filter(
    ({ row, remoteId, isRemoved, requests }) =>
      !isRemoved && remoteId !== null && (remoteId !== row.remoteId || (hasAttributes && requests.length > 0)),
  );
  if (linked.length === 0) return;
  // An object that was deleted concurrently has no link any more.
  const objects = sql.table(type === 'user' ? 'users' : 'groups');
  const { rows } = await sql<{ pk: ObjectKey }>`select pk from ${objects}
    where pk in (${sql.join(linked.map(({ row }) => row.object))})`.execute(tx);
  const there = new Set(rows.map(({ pk }) => pk));
  const values = linked
    .filter(({ row }) => there.has(row.object))
    .map((result) => {
      const { row, remoteId } = result;
      const extra = hasAttributes ? sql`, ${JSON.stringify(keptOf(result))}` : sql``;
      return sql`(${row.pk}, ${remoteId}, ${row.object}, ${provider}${extra})`;
    });
  if (values.length === 0) return;
  const extra = hasAttributes ? sql`, attributes` : sql``;
  const change = hasAttributes ? sql`do update set attributes = excluded.attributes` : sql`do nothing`;
  await sql`insert into ${sql.table(table)} (pk, ${sql.ref(id)}, ${sql.ref(type)}, provider${extra})
    values ${sql.join(values)} on conflict (pk) ${change}`.execute(tx);
}
