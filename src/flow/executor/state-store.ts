import { type RawBuilder, sql } from 'kysely';
import { type UserRow, userColumns, userFactsOf } from '../../core/mapping/user-facts.ts';
import { Problem } from '../../lib/problem.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import { stampSql } from '../../platform/db/postgres-stamps.ts';
import { dialectStatement, statement } from '../../platform/db/statement.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import { orderedUuid, randomToken } from '../../platform/random.ts';
import type { Call } from '../../resource/call.ts';
import { plansOf } from '../attempt.ts';
import { evictOldestPlans, type FlowPlan, planContext } from '../plan.ts';
import { type FlowState, storedState } from './flow-state.ts';
import { pendingKeyOf, setPendingUserFacts } from './pending-user.ts';

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
  /** See `pendingKeyOf`. */
  readonly pending_user: number | null;
}

/** With the user of the walk, if there is one. */
type StateRow = WalkRow & (UserRow | { readonly pk: null });

/** Returns a row even without a walk, for the stamp. */
type FoundRow<Walk extends WalkRow> = { readonly stamp: number | null } & (Walk | { readonly flow: null });

const walkColumns = sql`s.stamp, p.flow, p.version, p.context, p.pending_user`;
const walksFrom = (hash: RawBuilder<unknown>, now: RawBuilder<unknown>) =>
  sql`(select ${stampSql} as stamp) s left join flow_plans p on p.token_hash = ${hash} and p.expires > ${now}`;

const bareWalks = statement<[hash: string, now: string], FoundRow<WalkRow>>(
  (hash, now) => sql`select ${walkColumns} from ${walksFrom(hash, now)}`,
);

const walksWithUser = dialectStatement<[hash: string, now: string], FoundRow<StateRow>>(
  (dialect, hash, now) => sql`select ${walkColumns}, ${userColumns(dialect)} from ${walksFrom(hash, now)}
      ${dialect.lookUp('users', 'u', sql`u.pk = p.pending_user`)}`,
);

/** The unexpired walks of a browser. */
export interface BrowserWalks {
  /** Whether this server issued the browser's token. */
  readonly isKnown: boolean;
  through(flow: string): StoredWalk | null;
}

/** With their users, unless there is probably no walk. */
export async function findWalks(call: Call, key: InstanceKey, token: string, isLikely = true): Promise<BrowserWalks> {
  const { db, now } = call;
  const hash = key.hash(token);
  const found = await (isLikely ? walksWithUser : bareWalks)(db.read, hash, now);
  db.sawStamp?.(found[0]?.stamp ?? null);
  const rows = found.filter((row) => row.flow !== null);
  return {
    isKnown: rows.length > 0,
    through(flow) {
      const row = rows.find((one) => one.flow === flow);
      return row ? heldIn(row, call, key, token, hash) : null;
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

function heldIn(row: WalkRow | StateRow, call: Call, key: InstanceKey, token: string, hash: string): StoredWalk {
  const { flow, version } = row;
  const content: FlowState | FlowPlan = JSON.parse(key.box.open(row.context, planContext(hash, flow)));
  if (!('stages' in content)) return { token, version, unbegun: content };
  // The column only saves a statement: the sealed state is authoritative.
  if ('pk' in row && row.pending_user !== null && row.pending_user === pendingKeyOf(content.context))
    setPendingUserFacts(call, row.pk === null ? null : userFactsOf(row));
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

export interface Saving {
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
  state: FlowState,
  call: Call,
  { isRenewed }: Saving = {},
): Promise<ActiveWalk | null> {
  const token = isRenewed ? randomToken() : held;
  const hash = key.hash(token);
  const flow = state.plan.flow.pk;
  const sealed = key.box.seal(JSON.stringify(state), planContext(hash, flow));
  const expires = addMilliseconds(call.now, lifetimeMs);
  const isLarge = sealed.length > large;
  const user = pendingKeyOf(state.context);
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
      user,
      call.now,
      expires,
      countedWith.network,
      countedWith.network_56,
      countedWith.network_48,
    );
    return rows.length > 0 ? { token, version: 1, state } : null;
  }
  const rows = await replaceWalk(tx, hash, sealed, user, expires, key.hash(held), flow, version);
  return rows.length > 0 ? { token, version: version + 1, state } : null;
}

type NewWalk = [
  ...[pk: string, hash: string, flow: string, sealed: string, user: number | null],
  ...[now: string, expires: string, network: string | null, network56: string | null, network48: string | null],
];

/** In place of one that has expired. */
const insertWalk = statement<NewWalk, unknown>(
  (pk, hash, flow, sealed, user, now, expires, network, network56, network48) => sql`insert into flow_plans
    (pk, token_hash, flow, version, context, pending_user, created, expires, network, network_56, network_48)
    values (${pk}, ${hash}, ${flow}, 1, ${sealed}, ${user}, ${now}, ${expires}, ${network}, ${network56}, ${network48})
    on conflict (token_hash, flow) do update set version = 1, context = excluded.context, pending_user = excluded.pending_user,
      created = excluded.created, expires = excluded.expires, network = excluded.network, network_56 = excluded.network_56,
      network_48 = excluded.network_48
      where flow_plans.expires <= ${now} returning pk`,
);

type MovedWalk = [
  ...[hash: string, sealed: string, user: number | null, expires: string],
  ...[held: string, flow: string, version: number],
];

const replaceWalk = statement<MovedWalk, unknown>(
  (
    hash,
    sealed,
    user,
    expires,
    held,
    flow,
    version,
  ) => sql`update flow_plans set version = version + 1, token_hash = ${hash},
    context = ${sealed}, pending_user = ${user}, expires = ${expires} where token_hash = ${held} and flow = ${flow} and version = ${version} returning pk`,
);

/** Another answer has moved the walk. */
class ConcurrentUpdate extends Error {}

/** Ends a walk. Throws `Overtaken` if the walk has moved meanwhile. One that was never stored needs no ending. */
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
