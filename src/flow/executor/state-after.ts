import { copyJson } from '../../lib/json.ts';
import type { Complaints } from '../../lib/problem.ts';
import type { Refusal } from '../plan.ts';
import { type FlowState, type PlannedStage, restartedContext } from './flow-state.ts';
import type { Move } from './stage-kind.ts';

/** The state after a move. An invalid answer restarts the walk if the binding says so. */
export function stateAfter(state: FlowState, move: Extract<Move, { move: 'next' | 'stay' | 'detour' }>): FlowState {
  const { at, stages } = state;
  const planned = stages[at];
  if (!planned) return state;
  if (move.move === 'detour') {
    const { stage, kind } = move;
    const detour: PlannedStage = { ...planned, stage, kind, evaluateAtRun: false, onInvalid: 'retry', isDetour: true };
    return { ...state, stages: stages.toSpliced(at, 0, detour), memory: {} };
  }
  // Detours run once: a restart does not repeat them.
  if (move.move === 'next' && planned.isDetour) return { ...state, stages: stages.toSpliced(at, 1), memory: {} };
  if (move.move === 'next') return { ...state, at: at + 1, memory: {} };
  if (planned.onInvalid === 'retry') return state;
  const isBlank = planned.onInvalid === 'restart';
  return { ...state, at: 0, memory: {}, ...(isBlank && { context: restartedContext(state.plan, state.context) }) };
}

/**
 * The state at the previous step, without the invalid answers. Errors do not identify the invalid attribute, so all
 * attributes are removed.
 */
export function stateBefore(state: FlowState, errors: Complaints): FlowState {
  const { attributes: _, ...wrong } = errors;
  const valid = Object.entries(state.context.prompt_data).filter(([name]) => !Object.hasOwn(wrong, name));
  const context = { ...state.context, prompt_data: Object.fromEntries(valid) };
  return { ...state, context, at: state.at - 1, memory: {} };
}

/** The state of a walk that ends by refusal. */
export const refusedState = (state: FlowState, { append, next }: Refusal): FlowState => ({
  ...state,
  at: state.stages.length,
  plan: { ...state.plan, append },
  next,
});

/** A copy of what stages may change; the rest is shared. */
export const copyState = (state: FlowState): FlowState => ({
  ...state,
  context: copyJson(state.context),
  memory: copyJson(state.memory),
});
