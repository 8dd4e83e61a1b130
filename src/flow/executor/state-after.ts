import { copyJson } from '../../lib/json.ts';
import type { Refusal } from '../plan.ts';
import { type FlowState, firstContext, type PlannedStage } from './flow-state.ts';
import type { Move } from './stage-kind.ts';

/** Where the walk stands after a move. A wrong answer starts it over where the binding says so. */
export function stateAfter(
  move: Extract<Move, { move: 'next' | 'stay' | 'leave' | 'detour' | 'refuse' }>,
  planned: PlannedStage,
  draft: FlowState,
): FlowState {
  const { onInvalid } = planned;
  const { at, stages } = draft;
  if (move.move === 'refuse') return refusedState(draft, move.refusal);
  if (move.move === 'detour') {
    const { stage, kind } = move;
    const detour: PlannedStage = { ...planned, stage, kind, evaluateAtRun: false, onInvalid: 'retry', isDetour: true };
    return { ...draft, stages: stages.toSpliced(at, 0, detour), memory: {} };
  }
  // A detour is made once: whoever starts over does not come by it again.
  if (move.move === 'next' && planned.isDetour) return { ...draft, stages: stages.toSpliced(at, 1), memory: {} };
  if (move.move === 'next') return { ...draft, at: at + 1, memory: {} };
  if (move.move === 'leave' || onInvalid === 'retry') return draft;
  return { ...draft, at: 0, memory: {}, ...(onInvalid === 'restart' && { context: firstContext(draft.plan) }) };
}

/** The end of a walk of which nothing comes. */
export const refusedState = (state: FlowState, { append, next }: Refusal): FlowState => ({
  ...state,
  at: state.stages.length,
  plan: { ...state.plan, append },
  next,
});

/** What stages may change is theirs; the rest of a walk is the same from step to step. */
export const draftOf = (state: FlowState): FlowState => ({
  ...state,
  context: copyJson(state.context),
  memory: copyJson(state.memory),
});
