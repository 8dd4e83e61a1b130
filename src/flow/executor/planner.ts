import { Problem } from '../../lib/problem.ts';
import type { PolicyEngine } from '../../policy/engine.ts';
import { policyRequest } from '../../policy/request.ts';
import type { Call } from '../../resource/call.ts';
import type { FlowPlan } from '../plan.ts';
import type { FlowReads } from './flow-reads.ts';
import {
  type ExecutorFlow,
  type FlowContext,
  type FlowState,
  firstContext,
  type PlannedStage,
  type Start,
} from './flow-state.ts';
import { loadPendingUser } from './pending-user.ts';

const undecided = 'Your access could not be determined.';

interface Dependencies {
  readonly policies: PolicyEngine;
  readonly flows: FlowReads;
}

/**
 * Plans the stages of a flow for a user. Policies run now or when the stage is reached, as configured in the binding.
 */
export async function planState(
  { policies, flows }: Dependencies,
  call: Call,
  flow: ExecutorFlow,
  plan: FlowPlan,
  start: Start,
): Promise<FlowState> {
  const state = stateAtStart(plan, start);
  const rows = await flows.stagesOf(call.db, flow.pk);
  const stages: PlannedStage[] = [];
  for (const { stage, evaluateAtPlan } of rows) {
    if (!evaluateAtPlan || (await isStageDue(policies, call, flow, stage, state.context))) stages.push(stage);
  }
  return { ...state, stages };
}

/** A walk before its stages are planned. */
export const stateAtStart = (plan: FlowPlan, { next, query, actor }: Start): FlowState => ({
  plan,
  stages: [],
  at: 0,
  context: firstContext(plan),
  memory: {},
  next,
  query,
  actor,
});

/**
 * Whether the policies bound to a step include it in the walk. When a policy fails, neither result is safe (skipping
 * lets people past the step, taking it may be what the policy prevents), so it throws and the walk ends.
 */
export async function isStageDue(
  policies: PolicyEngine,
  call: Call,
  flow: ExecutorFlow,
  stage: PlannedStage,
  context: FlowContext,
): Promise<boolean> {
  const { passing, logs } = await policies.evaluateTarget({
    call,
    request: async () =>
      policyRequest(call, {
        user: await loadPendingUser(call, context),
        context,
        obj: { pk: flow.pk, slug: flow.slug, name: flow.name },
      }),
    targetPk: stage.target,
    mode: stage.mode,
  });
  if (!passing && logs.some(({ level }) => level === 'warning')) throw new Problem('permission_denied', undecided);
  return passing;
}
