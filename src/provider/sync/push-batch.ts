import { sql } from 'kysely';
import type { JsonObject } from '../../lib/json.ts';
import type { Query } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { Call } from '../../resource/call.ts';
import type { ObjectType } from './facts.ts';
import {
  attemptsIn,
  isOfType,
  type LedgerRow,
  markRenamed,
  type Result,
  rowLinkedTo,
  storeLinks,
  storeResults,
  storeSending,
  withAttempt,
} from './ledger.ts';
import { backoffMs, clearPause } from './pause.ts';
import { prepareWork, type Work } from './prepare.ts';
import { isUpToDate, removeObject, stateOf, writeObject } from './push-object.ts';
import {
  MissingReference,
  NameTaken,
  ObjectRefused,
  RemoteMissing,
  type RemoteType,
  SyncStopped,
  Unavailable,
} from './remote.ts';
import type { ObjectKey } from './scope.ts';
import type { SentRequest } from './send.ts';
import type { Connection, Target } from './target.ts';

export interface Batch {
  readonly target: Target;
  readonly connection: Connection;
  readonly call: Call;
  readonly signal: AbortSignal;
  /** When the batch yields to other jobs (`Date.now()`); at least one object per connection is sent. */
  readonly until?: number;
}

export interface PushOptions {
  /** Looks at the members that groups have at the target instead of trusting the ledger. */
  readonly verifies?: boolean;
  /** Written in the transaction that stores how it went. */
  readonly also?: (tx: Query, result: BatchResult) => Promise<void>;
}

/** How a batch ended. */
export interface BatchResult {
  readonly done: number;
  readonly failed: number;
  /** Why the rest of it was not tried: the target is away, or refuses everything. */
  readonly halt: Unavailable | SyncStopped | null;
  /** The last of the keys before the first that was not tried. `done` and `failed` count up to it. */
  readonly last: ObjectKey | undefined;
}

/** Failures in a row after which the target as a whole counts as unavailable. */
const maxConsecutiveFailures = 5;
const maxAttempts = 10;
/** An object that holds a name but cannot be found may be about to be deleted; if not, retrying does not help. */
const maxTaken = 4;

/** Brings objects of one type to the target. Members of a group must have been handled before the group. */
export async function pushBatch(
  batch: Batch,
  type: ObjectType,
  keys: readonly ObjectKey[],
  { verifies = false, also = async () => {} }: PushOptions = {},
): Promise<BatchResult> {
  const { target, connection, call } = batch;
  const remoteType = connection.remote([])[type];
  const works = await prepareWork(batch, type, keys, remoteType, verifies);
  const isFine = ({ row, isSkipped, wanted, error }: Work) =>
    isSkipped || (error === null && wanted !== null && isUpToDate(row, wanted, remoteType));
  const fine = works.filter(isFine);
  const unsent = new Map(works.filter((work) => !isFine(work)).map((work) => [work.row.object, work.row]));
  const toSend = await storeIntents(
    batch,
    type,
    works.filter(({ row }) => unsent.has(row.object)).sort(inOrderOf(keys)),
  );
  const holders = new Set<ObjectKey>();
  const { results, halt } = await sendAll(batch, type, toSend, holders);
  for (const { row } of results) unsent.delete(row.object);
  const outcome = { ...countUpTo(keys, unsent, [...fine.map(unfailed), ...results]), halt };
  const settled = fine.filter(({ row }) => row.isDue).map(({ row }) => unchanged(row));
  await call.db.write(async (tx) => {
    // Rows that were not tried return to their state before the intent was stored.
    await storeSending(tx, target.pk, type, [...unsent.values()]);
    await storeResults(call, tx, target.pk, type, [...results, ...settled]);
    await storeLinks(tx, target.pk, type, target.kind.links[type], results);
    await markRenamed(call, tx, target.pk, type, [...holders]);
    if (type === 'user') await markGroupsOf(call, tx, target, results);
    if (results.some(({ error, requests }) => error === '' && requests.length > 0)) await clearPause(tx, target.pk);
    await also(tx, outcome);
  });
  return outcome;
}

const unfailed = ({ row }: Work): Counted => ({ row, error: '' });

type Counted = Pick<Result, 'row' | 'error'>;

/** The next batch of a run begins after `last`, so later objects are counted then. */
function countUpTo(
  keys: readonly ObjectKey[],
  unsent: ReadonlyMap<ObjectKey, unknown>,
  handled: readonly Counted[],
): Pick<BatchResult, 'done' | 'failed' | 'last'> {
  const firstUnsent = keys.findIndex((key) => unsent.has(key));
  const passed = new Set(firstUnsent < 0 ? keys : keys.slice(0, firstUnsent));
  const counted = handled.filter(({ row }) => passed.has(row.object));
  const failed = counted.filter(({ error }) => error !== '').length;
  return { done: counted.length - failed, failed, last: [...passed].at(-1) };
}

function inOrderOf(keys: readonly ObjectKey[]) {
  const positions = new Map(keys.map((key, position) => [key, position]));
  return (one: Work, other: Work): number =>
    (positions.get(one.row.object) ?? 0) - (positions.get(other.row.object) ?? 0);
}

/**
 * Stores what is about to be sent (write-ahead). After a crash nothing is created a second time, and nothing counts as
 * being at the target that may have been changed there.
 */
async function storeIntents(
  { target, call }: Batch,
  type: ObjectType,
  works: readonly Work[],
): Promise<readonly Work[]> {
  if (works.length === 0) return works;
  const intended = works.map((work) => {
    const { row, wanted } = work;
    const isCreation = wanted !== null && row.remoteId === null;
    const attributes = isCreation ? withAttempt(row, wanted.payload) : row.attributes;
    return { ...work, row: { ...row, attributes }, isSending: isCreation || row.isSending };
  });
  const rows = intended.map(({ row, isSending }) => ({ ...row, isSending }));
  const keys = await call.db.write((tx) => storeSending(tx, target.pk, type, rows));
  // If a creation may already have happened, the object is searched for first.
  return intended.map(({ row, ...work }) => ({ ...work, row: { ...row, pk: keys.get(row.object) ?? row.pk } }));
}

/** Sends over several connections until all is sent, the target fails as a whole or the time is up. */
async function sendAll(
  batch: Batch,
  type: ObjectType,
  works: readonly Work[],
  holders: Set<ObjectKey>,
): Promise<{ results: Result[]; halt: BatchResult['halt'] }> {
  const { until = Number.POSITIVE_INFINITY } = batch;
  const results: Result[] = [];
  const claims: Claims = new Map();
  let halt: BatchResult['halt'] = null;
  let failuresInARow = 0;
  const drain = async (queue: Iterable<Work>): Promise<void> => {
    for (const work of queue) {
      if (halt || batch.signal.aborted) return;
      const { result, error } = await attempt(batch, type, work, claims, holders);
      results.push(result);
      const isFailure = error instanceof Unavailable && !(error instanceof MissingReference);
      failuresInARow = isFailure ? failuresInARow + 1 : 0;
      if (error instanceof SyncStopped) halt ??= error;
      const isAway = isFailure && (error.isWholeTarget || failuresInARow >= maxConsecutiveFailures);
      if (isAway) halt ??= error;
      if (Date.now() >= until) return;
    }
  };
  // Objects of lost creations are searched for before a new one gets the same name.
  const isUncertain = ({ row }: Work) => attemptsIn(row).length > 0;
  await drain(works.filter(isUncertain));
  if (Date.now() >= until && results.length > 0) return { results, halt };
  const queue = works.filter((work) => !isUncertain(work)).values();
  await Promise.all(Array.from({ length: batch.target.kind.connections }, () => drain(queue)));
  return { results, halt };
}

async function attempt(
  batch: Batch,
  type: ObjectType,
  { row, wanted, error: prepared }: Work,
  claims: Claims,
  holders: Set<ObjectKey>,
): Promise<{ result: Result; error: Error | null }> {
  const { target, connection, call } = batch;
  const requests: SentRequest[] = [];
  const state = stateOf(row);
  const remoteType = connection.remote(requests)[type];
  const isLinkedElsewhere = async (id: string) =>
    (await selectLinked[type](call.db.read, target.pk, id, row.pk)).length > 0;
  const claim = (id: string) => claimFor(row, id, claims, () => isLinkedElsewhere(id));
  const { settlesInMs } = target.kind;
  const needs = {
    ...{ type: remoteType, claim, now: call.now },
    isSettling: (created: string | null, withinMs = settlesInMs) =>
      created !== null && Date.parse(call.now) - Date.parse(created) < Math.min(withinMs, settlesInMs),
    isCircle: (payload: JsonObject) => isCircle(batch, type, row, { payload, remoteType, holders }),
  };
  const work = async () => {
    if (prepared) throw prepared;
    if (wanted) await writeObject(state, wanted, needs);
    else await removeObject(state, target.deleteActions[type], needs);
  };
  const error = await work().then(
    () => null,
    (thrown: unknown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
  );
  return { result: { row, ...state, requests, ...explained(row, error) }, error };
}

const maxCircle = 20;

/**
 * Finds the objects that hold a requested name and are about to be renamed; such `holders` are sent again. In a cycle
 * each waits for the next, so one of them gets a temporary name first.
 */
async function isCircle(
  batch: Batch,
  type: ObjectType,
  row: LedgerRow,
  { payload, remoteType, holders }: { payload: JsonObject; remoteType: RemoteType; holders: Set<ObjectKey> },
): Promise<boolean> {
  const { target, call } = batch;
  let wanted = payload;
  let [holder] = await remoteType.find(wanted);
  for (let steps = 0; holder && steps < maxCircle; steps++) {
    const other = await rowLinkedTo(call.db.read, target.pk, type, holder.id);
    const [work] = other ? await prepareWork(batch, type, [other.object], remoteType, false) : [];
    if (!other || !work?.wanted) return false;
    wanted = work.wanted.payload;
    const [next] = await remoteType.find(wanted);
    if (next?.id === holder.id) return false;
    holders.add(other.object);
    if (next?.id === row.remoteId && row.remoteId !== null) return true;
    holder = next;
  }
  return false;
}

const unchanged = (row: LedgerRow): Result => ({ row, ...stateOf(row), requests: [], error: '', retryInMs: null });

/** Remote objects that rows of this batch are linked to, which the ledger does not say yet: their keys by remote id. */
type Claims = Map<string, string>;

async function claimFor(
  { pk }: LedgerRow,
  id: string,
  claims: Claims,
  isLinkedElsewhere: () => Promise<boolean>,
): Promise<boolean> {
  const owner = claims.get(id);
  if (owner !== undefined) return owner === pk;
  claims.set(id, pk);
  if (!(await isLinkedElsewhere())) return true;
  claims.delete(id);
  return false;
}

const linkedElsewhere = (type: ObjectType) =>
  statement<[provider: number, id: string, pk: string], unknown>(
    (provider, id, pk) => sql`select 1 from sync_objects where provider = ${provider} and remote_id = ${id}
      and pk <> ${pk} and ${isOfType(type)}`,
  );
const selectLinked = { user: linkedElsewhere('user'), group: linkedElsewhere('group') };

/** What is stored of a failure, and when it is tried again. */
function explained(row: LedgerRow, error: Error | null): Pick<Result, 'error' | 'retryInMs'> {
  if (!error) return { error: '', retryInMs: null };
  // A conflict may be with something that is itself about to change.
  const isFinal = error instanceof ObjectRefused || error instanceof RemoteMissing;
  // An outage of the whole target is not the fault of the object that met it.
  const most = error instanceof NameTaken ? maxTaken : maxAttempts;
  const endsByItself = error instanceof MissingReference || (error instanceof Unavailable && error.isWholeTarget);
  const isLast = row.attempts + 1 >= most && !endsByItself;
  if (isFinal || isLast) return { error: error.message, retryInMs: null };
  const wait = error instanceof Unavailable ? error.retryAfterMs : 0;
  return { error: error.message, retryInMs: Math.max(wait, backoffMs(row.attempts)) };
}

/** Groups contain their members by remote id: a member with a new one must be added again. */
async function markGroupsOf(call: Call, tx: Query, target: Target, results: readonly Result[]): Promise<void> {
  const linked = results
    .filter(({ row, remoteId }) => remoteId !== null && remoteId !== row.remoteId)
    .map(({ row }) => row.object);
  if (linked.length === 0) return;
  await sql`update sync_objects set pending = pending + 1, due = ${call.db.dialect.moment(call.now)}
    where provider = ${target.pk} and "group" in (select ug."group" from user_groups ug where ug."user" in (${sql.join(linked)}))`.execute(
    tx,
  );
}
