import { asObject } from '../lib/json.ts';
import { Problem } from '../lib/problem.ts';
import type { PolicyEngine } from '../policy/engine.ts';
import type { Call } from '../resource/call.ts';
import type { Row } from '../resource/fields/field.ts';
import { loadDenial } from './applicable-flow.ts';
import type { Executor } from './executor/executor.ts';
import type { FlowReads, StoredFlow } from './executor/flow-reads.ts';
import { isProven } from './executor/flow-state.ts';
import { planState } from './executor/planner.ts';
import type { ActiveWalk } from './executor/state-store.ts';
import { createPlan } from './plan.ts';

interface Needs {
  readonly policies: PolicyEngine;
  readonly executor: Executor;
  readonly flows: FlowReads;
}

/** What a program knows of a person who signs in: of protocols that have a name and a password only. */
export interface GivenPassword {
  readonly username: string;
  readonly password: string;
  /** A code of a second factor. */
  readonly code: string | null;
  /** Whether devices that ask the person may be used. */
  readonly asksDevices: boolean;
  /** What policies see in the query of the page. */
  readonly query: Readonly<Record<string, string>>;
}

export type PasswordSignIn =
  | { readonly outcome: 'right'; readonly user: number }
  /** `reason` is for the log of administrators: programs learn nothing. */
  | { readonly outcome: 'wrong'; readonly reason: string };

const maxSteps = 10;

/**
 * Goes through a flow for a program, with the answers that a name and a password give. Stages verify, count and record as they do for a
 * browser; what needs a person is a refusal. Nothing of the walk is stored, and it leaves no session.
 */
export async function signInByPassword(
  needs: Needs,
  call: Call,
  slug: string,
  given: GivenPassword,
): Promise<PasswordSignIn> {
  const flow = await needs.flows.read(call.db, slug);
  if (!flow) return wrong('the flow does not exist or is switched off');
  if (await loadDenial(needs.policies, flow, { call, user: null, context: {}, isByOutpost: true }))
    return wrong('the flow does not apply');
  try {
    return await walk(needs, call, flow, given);
  } catch (error) {
    // A policy of a step could not be decided.
    if (error instanceof Problem && error.code === 'permission_denied') return wrong(error.message);
    throw error;
  }
}

const wrong = (reason: string): PasswordSignIn => ({ outcome: 'wrong', reason });

async function walk(needs: Needs, call: Call, flow: StoredFlow, given: GivenPassword): Promise<PasswordSignIn> {
  const plan = createPlan(flow, null, { isWithoutBrowser: true });
  const state = await planState(needs, call, flow, plan, { query: given.query, next: '/', actor: null });
  let current: ActiveWalk = { token: '', version: 0, state };
  let answer: Row | null = null;
  for (let step = 0; step < maxSteps; step++) {
    const reply = await needs.executor.proceed(call, flow, current, answer);
    if (!reply.walk) return wrong('a step failed');
    current = reply.walk;
    if (reply.isOver) return endOf(current, reply.denial);
    const { challenge } = reply;
    if (challenge.response_errors) return wrong('an answer was not accepted');
    answer = answerTo(challenge, given);
    if (!answer) return wrong(`the step ${String(challenge.component)} needs a person`);
  }
  return wrong('the flow has too many steps');
}

/** Only who has shown who they are, and was signed in, has passed: a flow without a login stage lets nobody in. */
function endOf({ state: { context } }: ActiveWalk, denial: string | undefined): PasswordSignIn {
  const user = context.pending_user;
  if (denial !== undefined) return wrong(denial);
  if (user === null || !isProven(context) || context.signed_in !== user) return wrong('the flow signs nobody in');
  return { outcome: 'right', user };
}

/** The answer to a challenge; null if only a person has one. */
function answerTo(challenge: Row, { username, password, code, asksDevices }: GivenPassword): Row | null {
  const { component } = challenge;
  switch (component) {
    case 'xak-stage-identification':
      return { component, uid_field: username, ...(challenge.password_fields === true && { password }) };
    case 'xak-stage-password':
      return { component, password };
    case 'xak-stage-authenticator-validate': {
      const offered = Array.isArray(challenge.device_challenges) ? challenge.device_challenges.map(asObject) : [];
      const classes = new Set(offered.map(({ device_class }) => device_class));
      if (code !== null && (classes.has('totp') || classes.has('static'))) return { component, code };
      const push = asksDevices ? offered.find(({ device_class }) => device_class === 'twofactor') : undefined;
      if (!push) return null;
      const { device_class, device_uid } = push;
      return {
        ...{ component, selected_challenge: { device_class, device_uid, challenge: {} } },
        twofactor: Number(device_uid),
      };
    }
    default:
      return null;
  }
}
