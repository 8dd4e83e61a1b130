import { Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { PolicyEngine } from '../../policy/engine.ts';
import { notImpersonating } from '../../resource/access/credentials.ts';
import type { Call } from '../../resource/call.ts';
import type { Fields, Row } from '../../resource/fields/field.ts';
import type { Engine } from '../../resource/resource.ts';
import { parseBody } from '../../resource/write/parse.ts';
import { type FlowState, getPasswordTime, isProven, setPasswordTime } from './flow-state.ts';
import { loadStage } from './load-stage.ts';
import { pendingUserOf } from './pending-user.ts';
import { isStageDue } from './planner.ts';
import { type Move, type StageKind, type StageScreen, type Step, stay } from './stage-kind.ts';
import type { Walk, WalkMove } from './walk.ts';

export interface StageDependencies {
  readonly engine: Engine;
  readonly policies: PolicyEngine;
  /** By model. */
  readonly kinds: ReadonlyMap<string, StageKind>;
}

/** Gets a move from the current stage. The stage changes the state in place: pass a draft. */
export async function nextMove(needs: StageDependencies, call: Call, walk: Walk): Promise<WalkMove> {
  const { flow, state, answer } = walk;
  const planned = state.stages[state.at];
  if (!planned) return { move: 'finish' };
  const kind = needs.kinds.get(planned.kind);
  let settings: Step['settings'];
  try {
    const isDue = !planned.evaluateAtRun || (await isStageDue(needs.policies, call, flow, planned, state.context));
    if (!isDue) return { move: 'next' };
    if (!kind) return { move: 'deny', message: 'This server does not support this kind of stage.' };
    if (call.actor?.impersonator && !kind.allowsImpersonation) return { move: 'deny', message: notImpersonating };
    settings = await loadStage(needs.engine, kind.resource, planned.stage, call);
  } catch (error) {
    if (error instanceof Problem) return { move: 'deny', message: error.words };
    throw error;
  }
  const step = stepOf(needs, call, walk, settings);
  const shown = await kind.show(step);
  // Only a step that asks takes an answer: one that throws, denies or needs no input cannot be passed by answering.
  const move = answer === null || shown.move !== 'ask' ? shown : await validatedMove(kind, step, answer, shown);
  await keepPassword(step);
  if (move.move !== 'ask') return move;
  const challenge = typeof move.challenge === 'function' ? await move.challenge() : move.challenge;
  return { move: 'ask', challenge, component: screenOf(kind, move).component };
}

/** For proofs that do not depend on the password; one that does notes the one that it checked. */
async function keepPassword({ context, pendingUser }: Step): Promise<void> {
  if (!isProven(context) || getPasswordTime(context) !== null) return;
  const user = await pendingUser();
  if (user) setPasswordTime(context, user.password_change_date);
}

function stepOf(
  { engine, kinds }: StageDependencies,
  call: Call,
  { flow, state }: Walk,
  settings: Step['settings'],
): Step {
  const { context, memory, query } = state;
  return {
    walk: state,
    call,
    flow,
    engine,
    settings,
    context,
    memory,
    query,
    pendingUser: pendingUserOf(call, context),
    completeStages: (tx, writing) => completePassedStages(kinds, state, tx, writing),
  };
}

/** Has the passed stages consume what they accepted. */
export async function completePassedStages(
  kinds: StageDependencies['kinds'],
  { stages, at, context }: FlowState,
  tx: Query,
  call: Call,
): Promise<void> {
  const passed = new Set(stages.slice(0, at).map(({ kind }) => kind));
  for (const name of passed) {
    const kind = kinds.get(name);
    if (kind?.completeStage) await kind.completeStage(context, tx, call);
  }
}

/** An answer to another step, or to a step without input, is ignored (stage bypass). */
async function validatedMove(kind: StageKind, step: Step, given: Row, shown: Move): Promise<Move> {
  const { component, answer = {} } = screenOf(kind, shown);
  const isForeign = given.component === undefined ? !isAnswerTo(kind, answer, given) : given.component !== component;
  if (isForeign || !kind.verifyRegistration) return shown;
  const { values, complaints } = parseBody(answer, given, 'create', step.call);
  if (Object.keys(complaints).length > 0) return stay(complaints);
  return kind.verifyRegistration(step, kind.isAnswer ? given : values);
}

/** An answer contains its component, or at least one member of this step. */
const isAnswerTo = ({ isAnswer }: StageKind, answer: Fields, given: Row): boolean =>
  isAnswer?.(given) ?? Object.keys(answer).some((name) => Object.hasOwn(given, name));

/** The screen of a stage. */
const screenOf = (kind: StageKind, move: Move): StageScreen =>
  (move.move === 'ask' && kind.otherScreens?.find(({ component }) => component === move.component)) || kind;
