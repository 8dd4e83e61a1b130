import { cachedUserFacts } from '../../core/mapping/user-facts.ts';
import { Problem } from '../../lib/problem.ts';
import type { UserMessage, UserText } from '../../lib/texts/message.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import { randomToken } from '../../platform/random.ts';
import type { PolicyEngine } from '../../policy/engine.ts';
import { type Call, requireActor } from '../../resource/call.ts';
import { loadDenial, messageOfDenial } from '../applicable-flow.ts';
import { newAttempt, planCookies } from '../attempt.ts';
import { createPlan, type FlowPlan } from '../plan.ts';
import { faultComponent, flowPage, redirectComponent } from './challenge.ts';
import type { Executor, ExecutorReply } from './executor.ts';
import type { FlowReads, StoredFlow } from './flow-reads.ts';
import { planState, stateAtStart } from './planner.ts';
import { deleteFlowState } from './state-store.ts';

export interface StartDependencies {
  readonly key: InstanceKey;
  readonly policies: PolicyEngine;
  readonly executor: Executor;
  readonly flows: FlowReads;
  readonly publicUrl: string;
}

interface Beginning {
  readonly slug: string;
  readonly context: FlowPlan['context'];
  readonly append: FlowPlan['append'];
  readonly refusal?: FlowPlan['refusal'];
  /** The path to continue at after the flow. */
  readonly next: string;
}

/** How far a walk got without input. */
export type StartedFlow = { readonly cookies: readonly string[] } & (
  | { readonly outcome: 'over' }
  /** The walk needs input: it is stored and continues at `to`. */
  | { readonly outcome: 'asks'; readonly component: string; readonly to: string; forget(): Promise<void> }
  /** The plan's refusal was carried out. `message` is for the person; null if the flow shows none. */
  | { readonly outcome: 'denied'; readonly message: UserMessage | null }
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'broken' }
);

/** Starts a flow for the caller, as an attempt beside those of other tabs, and runs it until it needs input. */
export async function startPlannedFlow(
  needs: StartDependencies,
  call: Call,
  beginning: Beginning,
): Promise<StartedFlow> {
  const read = await needs.flows.read(call.db, beginning.slug);
  if (!read) return { outcome: 'missing', cookies: [] };
  const attempt = newAttempt();
  const flow: StoredFlow = { ...read, attempt };
  const first = randomToken();
  const reply = await walk(needs, call, flow, first, beginning);
  if (reply.denial !== undefined) {
    const message = flow.denied_action === 'continue' ? null : reply.denial;
    return { outcome: 'denied', message, cookies: reply.cookies };
  }
  const token = reply.token ?? first;
  const forget = () => call.db.write((tx) => deleteFlowState(tx, needs.key, token, flow.pk));
  const page = flowPage(flow.slug, null, attempt);
  return begunBy(reply, beginning, page, planCookies(call, needs.publicUrl, { attempt, token }), forget);
}

async function walk(
  { policies, flows, executor }: StartDependencies,
  call: Call,
  flow: StoredFlow,
  token: string,
  { context = {}, append, refusal, next }: Beginning,
): Promise<ExecutorReply> {
  const { pk } = requireActor(call).user;
  const plan = createPlan(flow, pk, { context, append, ...(refusal && { refusal }) });
  const start = { query: {}, next, actor: pk };
  const deny = (message: UserText) =>
    executor.deny(call, flow, { token, version: 0, state: stateAtStart(plan, start) }, message);
  const user = await cachedUserFacts(call, pk);
  const refused = await loadDenial(policies, flow, { call, user, context });
  if (refused) return deny(messageOfDenial(refused));
  try {
    const state = await planState({ policies, flows }, call, flow, plan, start);
    return await executor.proceed(call, flow, { token, version: 0, state }, null);
  } catch (error) {
    // A policy of a step could not be decided.
    if (error instanceof Problem) return deny(error.words);
    throw error;
  }
}

function begunBy(
  { challenge, cookies: own }: ExecutorReply,
  { next }: Beginning,
  page: string,
  planned: readonly string[],
  forget: () => Promise<void>,
): StartedFlow {
  const component = String(challenge.component);
  if (component === faultComponent) return { outcome: 'broken', cookies: own };
  const isRedirect = component === redirectComponent;
  if (isRedirect && challenge.to === next) return { outcome: 'over', cookies: own };
  const to = isRedirect ? String(challenge.to) : page;
  return { outcome: 'asks', component, to, forget, cookies: [...planned, ...own] };
}
