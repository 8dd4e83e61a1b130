import { sql } from 'kysely';
import type { FlowContext } from '../../flow/executor/flow-state.ts';
import type { PlanStep } from '../../flow/plan.ts';
import type { AppendStep } from '../../flow/protocol-kind.ts';
import type { Json } from '../../lib/json.ts';
import { Problem } from '../../lib/problem.ts';
import { addMilliseconds } from '../../platform/clock.ts';
import type { Query } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/statement.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { Call } from '../../resource/call.ts';
import { storeTicket, type Ticket } from './tickets.ts';

export type Decision = Ticket['state'];

/** Starts a flow in order to respond to an application's request. */
export interface TicketDecision extends Pick<Ticket, 'provider' | 'flow' | 'request'> {
  /** Of the ticket. */
  readonly id: string;
}

const stepOf: Readonly<Record<Decision, string>> = { granted: 'allow_request', denied: 'refuse_request' };

/** The step that ends a flow with this decision. `kind` is the model of the provider. */
export const createDecisionStep = (kind: string, decision: Decision, content: unknown): PlanStep => ({
  kind,
  step: stepOf[decision],
  // Plain data; an interface has no index signature, which `Json` requires.
  content: content as Json,
});

export const decisionOf = ({ step }: PlanStep): Decision => (step === stepOf.granted ? 'granted' : 'denied');

/** The time to return from the flow, including reading why access was denied. */
const lifetimeMs = { granted: 5 * 60_000, denied: 30 * 60_000 };

/** Allows or refuses the request that a flow was begun for, in the transaction that ends the walk. */
export function decideOnTicket(key: InstanceKey): AppendStep {
  return async (step, { context }, tx, call) => {
    // What `requireUserDecision` planned.
    const decidable = step.content as unknown as TicketDecision;
    const decision = decisionOf(step);
    const by = await deciderOf(tx, call, { decision, context, provider: decidable.provider });
    await storeDecision(tx, key, call, decidable, { decision, by });
  };
}

export interface Decider {
  readonly user: number;
  readonly session: string;
}

interface Deciding {
  readonly decision: Decision;
  readonly context: Pick<FlowContext, 'pending_user'>;
  /** Null when it is not about a provider. */
  readonly provider: number | null;
}

const active = (session: unknown, user: unknown) =>
  sql`select 1 from users u join authenticated_sessions s on s.pk = ${session} where u.pk = ${user} and u.is_active`;
const selectActive = statement<[session: string, user: number], unknown>(active);
const selectActiveAt = statement<[session: string, user: number, provider: number], unknown>(
  (session, user, provider) =>
    sql`${active(session, user)} and exists (select 1 from providers where pk = ${provider})`,
);

/** The deciding user. Throws if the user has changed since the flow began, or an object was deleted. */
export async function deciderOf(tx: Query, call: Call, { decision, context, provider }: Deciding): Promise<Decider> {
  const user = call.actor?.user.pk;
  const session = call.actor?.session ?? null;
  if (user === undefined || session === null || call.actor?.impersonator) throw refusal();
  // Decided by the current user. To allow it, they must be the user of the flow; to deny it, they need not.
  if (decision === 'granted' && context.pending_user !== user) throw refusal();
  const found =
    provider === null ? await selectActive(tx, session, user) : await selectActiveAt(tx, session, user, provider);
  if (found.length === 0) throw refusal();
  return { user, session };
}

export async function storeDecision(
  tx: Query,
  key: InstanceKey,
  call: Call,
  { id, provider, flow, request }: TicketDecision,
  { decision, by }: { readonly decision: Decision; readonly by: Decider },
): Promise<void> {
  const { now } = call;
  const expires = addMilliseconds(now, lifetimeMs[decision]);
  await storeTicket(tx, key, { id, provider, flow, request, ...by, state: decision, now, expires });
}

export const refusal = () => new Problem('permission_denied', 'This request cannot be decided any more.');
