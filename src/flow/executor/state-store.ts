import { sql } from 'kysely';
import { Problem } from '../../lib/problem.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import { orderedUuid, randomToken } from '../../platform/random.ts';
import type { Call } from '../../resource/call.ts';
import { plansOf } from '../attempt.ts';
import { evictOldestPlans, type FlowPlan, planContext } from '../plan.ts';
import { type FlowState, storedState } from './flow-state.ts';

const lifetimeMs = 30 * 60_000;
/** Larger sealed walks of anonymous visitors have a limit of their own. */
const large = 65_536;

/** What a browser's token refers to: a walk, or a plan that has not begun. */
export type StoredWalk = ActiveWalk | (Omit<ActiveWalk, 'state'> & { readonly unbegun: FlowPlan });

export interface ActiveWalk {
  readonly token: string;
  /** Incremented by each move; 0 while the walk is not stored. */
  readonly version: number;
  readonly state: FlowState;
}

interface WalkRow {
  readonly flow: string;
  readonly version: number;
  readonly context: string;
}

const selectWalks = statement<[hash: string, now: string], WalkRow>(
  (hash, now) => sql`select flow, version, context from flow_plans where token_hash = ${hash} and expires > ${now}`,
);

/** The unexpired walks of a browser. */
export interface BrowserWalks {
  /** Whether this server issued the browser's token. */
  readonly isKnown: boolean;
  through(flow: string): StoredWalk | null;
}

export async function findWalks({ db, now }: Call, key: InstanceKey, token: string): Promise<BrowserWalks> {
  const hash = key.hash(token);
  const rows = await selectWalks(db.read, hash, now);
  return {
    isKnown: rows.length > 0,
    through(flow) {
      const row = rows.find((one) => one.flow === flow);
      return row ? heldIn(row, key, token, hash) : null;
    },
  };
}

/** Reloads a walk that another answer may have changed. */
export async function reloadState(
  call: Call,
  key: InstanceKey,
  { token, state: { plan } }: ActiveWalk,
): Promise<ActiveWalk | null> {
  const found = (await findWalks(call, key, token)).through(plan.flow.pk);
  return found && 'state' in found ? found : null;
}

function heldIn({ flow, version, context }: WalkRow, key: InstanceKey, token: string, hash: string): StoredWalk {
  const content: FlowState | FlowPlan = JSON.parse(key.box.open(context, planContext(hash, flow)));
  if (!('stages' in content)) return { token, version, unbegun: content };
  return { token, version, state: storedState(content) };
}

/** Deletes all walks of a browser. */
export async function deleteStates(tx: Query, key: InstanceKey, token: string): Promise<void> {
  await sql`delete from flow_plans where token_hash = ${key.hash(token)}`.execute(tx);
}

/** Deletes a browser's walk through one flow. */
export async function deleteFlowState(tx: Query, key: InstanceKey, token: string, flow: string): Promise<void> {
  await sql`delete from flow_plans where token_hash = ${key.hash(token)} and flow = ${flow}`.execute(tx);
}

interface Saving {
  readonly state: FlowState;
  /**
   * Under a new token (session fixation): what this browser has proven must not serve anybody who knew the token
   * before.
   */
  readonly isRenewed?: boolean;
}

/** Saves the next state unless the walk has moved meanwhile (optimistic locking by `version`). */
export async function saveState(
  tx: Query,
  key: InstanceKey,
  { token: held, version }: Pick<ActiveWalk, 'token' | 'version'>,
  { state, isRenewed }: Saving,
  call: Call,
): Promise<ActiveWalk | null> {
  const token = isRenewed ? randomToken() : held;
  const hash = key.hash(token);
  const flow = state.plan.flow.pk;
  const sealed = key.box.seal(JSON.stringify(state), planContext(hash, flow));
  const expires = addMilliseconds(call.now, lifetimeMs);
  const isLarge = sealed.length > large;
  if (isLarge && !(await call.world.tryReserve('large_flow_plans', call))) throw new Problem('unavailable');
  if (version === 0) {
    if (!(await call.world.tryReserve('flow_plans', call))) throw new Problem('unavailable');
    const countedWith = plansOf(key, call);
    await evictOldestPlans(tx, countedWith);
    const rows = await insertWalk(
      tx,
      orderedUuid(),
      hash,
      flow,
      sealed,
      call.now,
      expires,
      countedWith.network,
      countedWith.network_56,
      countedWith.network_48,
    );
    return rows.length > 0 ? { token, version: 1, state } : null;
  }
  const rows = await replaceWalk(tx, hash, sealed, expires, key.hash(held), flow, version);
  return rows.length > 0 ? { token, version: version + 1, state } : null;
}

type NewWalk = [
  ...[pk: string, hash: string, flow: string, sealed: string],
  ...[now: string, expires: string, network: string | null, network56: string | null, network48: string | null],
];

/** In place of one that has expired. */
const insertWalk = statement<NewWalk, unknown>(
  (pk, hash, flow, sealed, now, expires, network, network56, network48) => sql`insert into flow_plans
    (pk, token_hash, flow, version, context, created, expires, network, network_56, network_48)
    values (${pk}, ${hash}, ${flow}, 1, ${sealed}, ${now}, ${expires}, ${network}, ${network56}, ${network48})
    on conflict (token_hash, flow) do update set version = 1, context = excluded.context,
      created = excluded.created, expires = excluded.expires, network = excluded.network, network_56 = excluded.network_56,
      network_48 = excluded.network_48
      where flow_plans.expires <= ${now} returning pk`,
);

type MovedWalk = [...[hash: string, sealed: string, expires: string], ...[held: string, flow: string, version: number]];

const replaceWalk = statement<MovedWalk, unknown>(
  (hash, sealed, expires, held, flow, version) => sql`update flow_plans set version = version + 1, token_hash = ${hash},
    context = ${sealed}, expires = ${expires} where token_hash = ${held} and flow = ${flow} and version = ${version} returning pk`,
);

/** Another answer has moved the walk. */
class ConcurrentUpdate extends Error {}

/**
 * Ends a walk. Throws `ConcurrentUpdate` if the walk has moved meanwhile. One that was never stored needs no ending.
 */
export async function deleteState(
  tx: Query,
  key: InstanceKey,
  stored: Pick<StoredWalk, 'token' | 'version'>,
  flow: string,
): Promise<void> {
  if (stored.version === 0) return;
  const deleted = await deleteWalk(tx, key.hash(stored.token), flow, stored.version);
  if (deleted.length === 0) throw new ConcurrentUpdate();
}

const deleteWalk = statement<[hash: string, flow: string, version: number], unknown>(
  (hash, flow, version) => sql`delete from flow_plans where token_hash = ${hash} and flow = ${flow}
    and version = ${version} returning pk`,
);

export function nullIfConflict(error: unknown): null {
  if (error instanceof ConcurrentUpdate) return null;
  throw error;
}
