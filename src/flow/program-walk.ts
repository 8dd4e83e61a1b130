import { asObject } from '../lib/json.ts';
import { Problem } from '../lib/problem.ts';
import { UserMessage } from '../lib/texts/message.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import type { Call } from '../resource/call.ts';
import type { Row } from '../resource/fields/field.ts';
import { loadDenial } from './applicable-flow.ts';
import type { Executor } from './executor/executor.ts';
import type { FlowReads, StoredFlow } from './executor/flow-reads.ts';
import { type FlowContext, isProven } from './executor/flow-state.ts';
import { planState } from './executor/planner.ts';
import type { ActiveWalk } from './executor/state-store.ts';
import { createPlan } from './plan.ts';

export interface ProgramWalkNeeds {
  readonly policies: PolicyEngine;
  readonly executor: Executor;
  readonly flows: FlowReads;
}

export interface ProgramWalk {
  /** The slug of the flow. */
  readonly flow: string;
  /** Whom the flow is about, if known. */
  readonly user: number | null;
  /** What policies see in the query of the page. */
  readonly query: Readonly<Record<string, string>>;
  /** The answer to a challenge; null if only a person has one. */
  answer(challenge: Row, context: FlowContext): Row | null;
}

export type ProgramWalkEnd =
  | { readonly outcome: 'over'; readonly context: FlowContext }
  /** `reason` is for the log of administrators; `complaints` are what a person would have been shown. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly complaints: readonly string[] };

const maxSteps = 10;

/** The reason where stages have verified and refused an answer, which they record themselves. */
export const wrongAnswer = 'an answer was not accepted';

/**
 * Goes through a flow for a program. Stages verify, count and record as they do for a browser; what needs a person is a
 * refusal. Nothing of the walk is stored.
 */
export async function walkForProgram(
  needs: ProgramWalkNeeds,
  call: Call,
  { flow: slug, user, query, answer }: ProgramWalk,
): Promise<ProgramWalkEnd> {
  const flow = await needs.flows.read(call.db, slug);
  if (!flow) return refused('the flow does not exist or is switched off');
  if (await loadDenial(needs.policies, flow, { call, user: null, context: {}, isByOutpost: true }))
    return refused('the flow does not apply');
  try {
    const plan = createPlan(flow, user, { isWithoutBrowser: true });
    const state = await planState(needs, call, flow, plan, { query, next: '/', actor: user });
    return await walk(needs, call, flow, { token: '', version: 0, state }, answer);
  } catch (error) {
    // A policy of a step could not be decided.
    if (error instanceof Problem && error.code === 'permission_denied') return refused(error.message);
    throw error;
  }
}

const refused = (reason: string, complaints: readonly string[] = []): ProgramWalkEnd => ({
  ...{ outcome: 'refused', reason, complaints },
});

async function walk(
  { executor }: ProgramWalkNeeds,
  call: Call,
  flow: StoredFlow,
  start: ActiveWalk,
  answerTo: ProgramWalk['answer'],
): Promise<ProgramWalkEnd> {
  let current = start;
  let answer: Row | null = null;
  for (let step = 0; step < maxSteps; step++) {
    const reply = await executor.proceed(call, flow, current, answer);
    if (!reply.walk) return refused('a step failed');
    current = reply.walk;
    if (reply.isOver)
      return reply.denial === undefined
        ? { outcome: 'over', context: current.state.context }
        : refused(String(reply.denial), [String(reply.denial)]);
    const { challenge } = reply;
    if (challenge.response_errors) return refused(wrongAnswer, textsOf(challenge.response_errors));
    answer = answerTo(challenge, current.state.context);
    if (!answer) return refused(`the step ${String(challenge.component)} needs a person`);
  }
  return refused('the flow has too many steps');
}

const textsOf = (errors: unknown): string[] =>
  Object.values(asObject(errors)).flatMap((details) =>
    (Array.isArray(details) ? details : []).flatMap((detail) => {
      const { string } = asObject(detail);
      return typeof string === 'string' || string instanceof UserMessage ? String(string) : [];
    }),
  );

/** The user that the walk has signed in: a flow that proves nothing, or has no login stage, signs no user in. */
export const signedInBy = (context: FlowContext): number | null => {
  const user = context.pending_user;
  return user !== null && isProven(context) && context.signed_in === user ? user : null;
};
