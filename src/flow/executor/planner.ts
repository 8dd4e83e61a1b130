import { sql } from 'kysely';
import { loadUserFacts } from '../../core/mapping/user-facts.ts';
import type { Json } from '../../lib/json.ts';
import { Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { PolicyEngine } from '../../policy/engine.ts';
import { policyRequest } from '../../policy/request.ts';
import type { Call } from '../../resource/call.ts';
import type { FlowPlan } from '../plan.ts';
import { type FlowContext, type FlowFacts, type FlowState, firstContext, type PlannedStage } from './flow-state.ts';

const undecided = 'Whether you may go on could not be decided.';

interface BindingRow {
  readonly binding: string;
  readonly target: string;
  readonly mode: 'all' | 'any';
  readonly evaluate_on_plan: boolean | number;
  readonly re_evaluate_policies: boolean | number;
  readonly stage: string;
  readonly kind: string;
  readonly on_invalid: PlannedStage['onInvalid'];
}

/** Lists the stages of a flow for somebody. What is to be decided now is decided now; the rest when they come to it. */
export async function planState(
  policies: PolicyEngine,
  call: Call,
  flow: FlowFacts,
  plan: FlowPlan,
  start: Pick<FlowState, 'next' | 'query' | 'actor'>,
): Promise<FlowState> {
  const context = firstContext(plan);
  const rows = await bindingsOf(call.db.read, flow.pk);
  const stages: PlannedStage[] = [];
  for (const row of rows) {
    const stage = plannedStage(row);
    if (!row.evaluate_on_plan || (await isStageDue(policies, call, flow, stage, context))) stages.push(stage);
  }
  return { plan, stages, at: 0, context, memory: {}, ...start };
}

/**
 * Whether the policies bound to a step let it be part of the walk. That a policy broke says neither: to skip the step would
 * let people past it, to take it could be what the policy was to prevent. So it throws, and the walk ends.
 */
export async function isStageDue(
  policies: PolicyEngine,
  call: Call,
  flow: FlowFacts,
  stage: PlannedStage,
  context: FlowContext,
): Promise<boolean> {
  const { passing, logs } = await policies.evaluateTarget({
    call,
    request: policyRequest(call, {
      user: context.pending_user === null ? null : await loadUserFacts(call, call.db.read, context.pending_user),
      context: context as unknown as Record<string, Json>,
      obj: { pk: flow.pk, slug: flow.slug, name: flow.name },
    }),
    targetPk: stage.target,
    mode: stage.mode,
  });
  if (!passing && logs.some(({ level }) => level === 'warning')) throw new Problem('permission_denied', undecided);
  return passing;
}

async function bindingsOf(query: Query, flow: string): Promise<BindingRow[]> {
  const { rows } =
    await sql<BindingRow>`select b.pk as binding, b.policybindingmodel_ptr_id as target, b.policy_engine_mode as mode,
    b.evaluate_on_plan, b.re_evaluate_policies, b.stage, s.kind, b.invalid_response_action as on_invalid
    from flow_stage_bindings b join stages s on s.pk = b.stage where b.target = ${flow} order by b."order", b.pk`.execute(
      query,
    );
  return rows;
}

function plannedStage(row: BindingRow): PlannedStage {
  return {
    binding: row.binding,
    target: row.target,
    mode: row.mode,
    evaluateAtRun: Boolean(row.re_evaluate_policies),
    stage: row.stage,
    kind: row.kind,
    onInvalid: row.on_invalid,
  };
}
