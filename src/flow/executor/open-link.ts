import { loadUserFacts } from '../../core/mapping/user-facts.ts';
import type { UserText } from '../../lib/texts/message.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import { randomToken } from '../../platform/random.ts';
import type { PolicyEngine } from '../../policy/engine.ts';
import type { Call } from '../../resource/call.ts';
import type { Row } from '../../resource/fields/field.ts';
import { loadDenial, messageOfDenial } from '../applicable-flow.ts';
import { consumeLink, type FlowLink, findLink } from '../links/flow-link.ts';
import { challengeOf, deniedChallenge, linkComponent } from './challenge.ts';
import type { ExecutorReply } from './executor.ts';
import type { FlowReads, StoredFlow } from './flow-reads.ts';
import { type FlowState, type Start, setPasswordTime, setPendingUser, storedState } from './flow-state.ts';
import { deniedUserMembers } from './pending-user.ts';
import { planState } from './planner.ts';
import { type ActiveWalk, deleteFlowState, saveState } from './state-store.ts';

interface Dependencies {
  readonly key: InstanceKey;
  readonly policies: PolicyEngine;
  readonly flows: FlowReads;
}

interface Followed {
  /** The link's token. */
  readonly linkToken: string;
  /** The browser's token. */
  readonly token: string;
  /** That of the shared attempt, in which the walk may have stood when the link was sent. */
  readonly shared: string | null;
  readonly answer: Row | null;
  readonly start: Start;
}

const voidLink = 'This link is invalid or expired.';

/**
 * Enters a flow by a link. Opening the link does not consume it, so mail scanners do no harm; the person's confirmation
 * does.
 */
export async function followLink(
  needs: Dependencies,
  call: Call,
  flow: StoredFlow,
  { linkToken, token, shared, answer, start }: Followed,
): Promise<ActiveWalk | ExecutorReply> {
  const { key, policies } = needs;
  const whom = await deniedUserMembers(call, null);
  const refuse = (words: UserText): ExecutorReply => ({
    challenge: deniedChallenge(flow, words, null, whom),
    cookies: [],
    token,
  });
  const link = await findLink(call.db.read, key, linkToken, flow.pk, call.now);
  if (!link) return refuse(voidLink);
  const user = link.user === null ? null : await loadUserFacts(call.db.read, link.user);
  const refusal = await loadDenial(policies, flow, { call, user, context: { is_restored: true } });
  if (refusal) return refuse(messageOfDenial(refusal));
  if (answer?.component !== linkComponent)
    return { challenge: challengeOf(flow, linkComponent, { link_opened: true }), cookies: [], token };
  const state = { ...(await stateOf(needs, call, flow, link, start)), link: key.hash(linkToken) };
  if (link.password_set !== null) setPasswordTime(state.context, link.password_set);
  const held = await call.db.write(async (tx) => {
    if (!(await consumeLink(tx, link))) return null;
    for (const left of new Set([token, shared ?? token])) await deleteFlowState(tx, key, left, flow.pk);
    // The link is a proof for this browser only: others may know the previous token (session fixation).
    return saveState(tx, key, { token: randomToken(), version: 0 }, { state }, call);
  });
  return held ?? refuse(voidLink);
}

/** The state to continue with. The walk moves to the browser that follows the link. */
async function stateOf(
  needs: Dependencies,
  call: Call,
  flow: StoredFlow,
  { content, user }: FlowLink,
  start: Start,
): Promise<FlowState> {
  const isWalk = 'stages' in content;
  const plan = { ...(isWalk ? content.plan : content), is_restored: true, pending_user: user } as const;
  if (!isWalk) return planState(needs, call, flow, plan, start);
  const { context } = storedState(content);
  setPendingUser(context, user);
  context.is_restored = true;
  return { ...content, plan, context, memory: {}, actor: start.actor };
}
