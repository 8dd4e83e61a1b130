import type { InstanceKey } from '../../platform/keys.ts';
import { randomToken } from '../../platform/random.ts';
import type { Call } from '../../resource/call.ts';
import { attemptOf, type PlanCookie, sharedAttempt } from '../attempt.ts';
import { type FlowStart, verifyFlowStart } from './flow-start.ts';
import { type ExecutorFlow, type FlowContext, firstContext, getPasswordTime } from './flow-state.ts';
import { loadPendingUser } from './pending-user.ts';
import { type BrowserWalks, deleteState, findWalks, nullIfConflict, type StoredWalk } from './state-store.ts';

/** The attempt of a browser for the page that sends the request. */
export interface BrowserWalk {
  readonly attempt: string;
  /** The browser's token; a new one if it has none, or one that expired or was forged. */
  readonly token: string;
  readonly found: StoredWalk | null;
  /** Proof that the first challenge of this flow was shown, if no walk is stored. */
  readonly opening: FlowStart | null;
  /** The proof for another flow, to be sent back unchanged. */
  readonly otherOpening: string | null;
}

/** A plan cookie, with the walks stored for it. */
type Held = PlanCookie & { readonly walks: BrowserWalks };

export interface StoredPlan {
  readonly attempt: string;
  readonly held: Held | null;
}

/**
 * What the browser holds for the attempt of the page. An attempt by an id that the browser does not hold is the shared
 * one.
 */
export async function findStoredPlan(
  key: InstanceKey,
  call: Call,
  plans: readonly PlanCookie[],
  pageQuery: string,
): Promise<StoredPlan> {
  const { attempt, isOfLink } = attemptOf(key, new URLSearchParams(pageQuery));
  const plan = plans.find((one) => one.attempt === attempt);
  if (plan) return { attempt, held: await heldBy(key, call, plan) };
  if (isOfLink) return { attempt, held: null };
  const shared = plans.find((one) => one.attempt === sharedAttempt);
  return { attempt: sharedAttempt, held: shared ? await heldBy(key, call, shared) : null };
}

const heldBy = async (key: InstanceKey, call: Call, plan: PlanCookie): Promise<Held> => ({
  ...plan,
  walks: await findWalks(call, key, plan.token),
});

/**
 * The walk of the attempt through this flow. A page without a query, and a client that does not pass it on, continue
 * what was used last, if the shared attempt is not at this flow.
 */
export async function findWalkOfFlow(
  key: InstanceKey,
  call: Call,
  flow: ExecutorFlow,
  { attempt, held }: StoredPlan,
  plans: readonly PlanCookie[],
): Promise<BrowserWalk> {
  const own = held
    ? await findBrowserWalk(key, call, flow, held)
    : { attempt, token: randomToken(), found: null, opening: null, otherOpening: null };
  if (own.found || own.opening) return own;
  for (const plan of plans) {
    if (plan.attempt === attempt) continue;
    const other = await findBrowserWalk(key, call, flow, await heldBy(key, call, plan));
    if (other.found || other.opening) return other;
  }
  return own;
}

/** What the browser presents: a walk through this flow, or proof that it was shown the first challenge. */
async function findBrowserWalk(key: InstanceKey, call: Call, flow: ExecutorFlow, carried: Held): Promise<BrowserWalk> {
  const proof = carried.opening === null ? null : verifyFlowStart(key, carried.token, carried.opening, call.now);
  const { attempt, walks } = carried;
  const found = walks.through(flow.pk);
  const token = walks.isKnown || proof ? carried.token : randomToken();
  const otherOpening = proof && proof.flow !== flow.pk ? carried.opening : null;
  if (found) return { attempt, token, found: await ownWalk(key, call, flow, found), opening: null, otherOpening };
  // A challenge for an anonymous visitor is void after they have signed in.
  const opening = proof?.flow === flow.pk && call.actor === null ? proof : null;
  return { attempt, token, found: null, opening, otherOpening };
}

/** A walk ends with the session of the user who started it; its proofs end when the password changes. */
async function ownWalk(
  key: InstanceKey,
  call: Call,
  flow: ExecutorFlow,
  found: StoredWalk,
): Promise<StoredWalk | null> {
  const { actor, context } = 'state' in found ? found.state : { actor: null, context: firstContext(found.unbegun) };
  const isTheirs = actor === null || actor === call.actor?.user.pk;
  if (isTheirs && !(await hasNewPassword(call, context))) return found;
  await call.db.write((tx) => deleteState(tx, key, found, flow.pk)).catch(nullIfConflict);
  return null;
}

/** Whether the password was changed after the walk authenticated the user: an attacker may have known the old one. */
async function hasNewPassword(call: Call, context: FlowContext): Promise<boolean> {
  const noted = getPasswordTime(context);
  const user = noted === null ? null : await loadPendingUser(call, context);
  return user !== null && user.password_change_date !== noted;
}
