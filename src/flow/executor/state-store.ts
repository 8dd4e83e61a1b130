import { sql } from 'kysely';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import { randomUuid } from '../../platform/random.ts';
import type { FlowPlan } from '../plan.ts';
import type { FlowState } from './flow-state.ts';

const lifetimeMs = 30 * 60_000;
const sealedAs = 'flow_plans.context';

/** What a browser's token stands for: a walk, or a plan that nobody has begun to walk yet. */
export type Found = StoredState | (Omit<StoredState, 'state'> & { readonly unbegun: FlowPlan });

export interface StoredState {
  readonly pk: string;
  readonly version: number;
  readonly state: FlowState;
}

interface StateRow {
  readonly pk: string;
  readonly version: number;
  readonly context: string;
}

/** The walk that a browser's token stands for in this flow, as long as it lasts. */
export async function findState(
  query: Query,
  key: InstanceKey,
  token: string,
  flow: string,
  now: string,
): Promise<Found | null> {
  const { rows } = await sql<StateRow>`select pk, version, context from flow_plans
    where token_hash = ${key.hash(token)} and flow = ${flow} and expires > ${now}`.execute(query);
  const row = rows[0];
  if (!row) return null;
  const content = JSON.parse(key.box.open(row.context, sealedAs)) as FlowState | FlowPlan;
  const { pk, version } = row;
  return 'stages' in content ? { pk, version, state: content } : { pk, version, unbegun: content };
}

/** Whether this server gave out the token: one that somebody made up is never taken for a walk. */
export async function isKnownToken(query: Query, key: InstanceKey, token: string, now: string): Promise<boolean> {
  const { rows } = await sql`select 1 from flow_plans where token_hash = ${key.hash(token)} and expires > ${now}
    limit 1`.execute(query);
  return rows.length > 0;
}

/** Forgets all walks of a browser. */
export async function deleteStates(tx: Query, key: InstanceKey, token: string): Promise<void> {
  await sql`delete from flow_plans where token_hash = ${key.hash(token)}`.execute(tx);
}

/** A walk as another answer may have left it. */
export async function reloadState(query: Query, key: InstanceKey, { pk }: StoredState): Promise<StoredState | null> {
  const { rows } = await sql<StateRow>`select pk, version, context from flow_plans where pk = ${pk}`.execute(query);
  const row = rows[0];
  return row ? { pk, version: row.version, state: JSON.parse(key.box.open(row.context, sealedAs)) } : null;
}

/** A browser walks once through each flow at a time: an earlier walk is forgotten. */
export async function insertState(
  tx: Query,
  key: InstanceKey,
  token: string,
  state: FlowState,
  now: string,
): Promise<StoredState> {
  const pk = randomUuid();
  const flow = state.plan.flow.pk;
  await sql`delete from flow_plans where expires <= ${now} or (token_hash = ${key.hash(token)} and flow = ${flow})`.execute(
    tx,
  );
  await sql`insert into flow_plans (pk, token_hash, flow, version, context, created, expires) values (${pk}, ${key.hash(token)}, ${flow},
    1, ${sealed(key, state)}, ${now}, ${addMilliseconds(now, lifetimeMs)})`.execute(tx);
  return { pk, version: 1, state };
}

/** Keeps the next state if nobody moved in the meantime: of two answers to one question, one counts. */
export async function replaceState(
  tx: Query,
  key: InstanceKey,
  held: Pick<StoredState, 'pk' | 'version'>,
  state: FlowState,
  now: string,
): Promise<StoredState | null> {
  const { rows } = await sql`update flow_plans set version = version + 1, context = ${sealed(key, state)},
    expires = ${addMilliseconds(now, lifetimeMs)} where pk = ${held.pk} and version = ${held.version} returning pk`.execute(
    tx,
  );
  return rows.length > 0 ? { pk: held.pk, version: held.version + 1, state } : null;
}

export async function deleteState(tx: Query, held: StoredState): Promise<boolean> {
  const { rows } =
    await sql`delete from flow_plans where pk = ${held.pk} and version = ${held.version} returning pk`.execute(tx);
  return rows.length > 0;
}

const sealed = (key: InstanceKey, state: FlowState) => key.box.seal(JSON.stringify(state), sealedAs);
