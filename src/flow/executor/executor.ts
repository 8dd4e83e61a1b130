import { loadUserFacts } from '../../core/mapping/user-facts.ts';
import { type Complaints, Invalid, Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';
import type { InstanceKey } from '../../platform/keys.ts';
import type { Log } from '../../platform/log.ts';
import { PasswordQueueFull } from '../../platform/passwords.ts';
import type { PolicyEngine } from '../../policy/engine.ts';
import type { Call } from '../../resource/call.ts';
import type { Row } from '../../resource/fields/field.ts';
import { parseBody } from '../../resource/parse.ts';
import type { Engine } from '../../resource/read.ts';
import type { PlanStep } from '../plan.ts';
import {
  challengeOf,
  deniedComponent,
  detailedErrors,
  faultComponent,
  redirectComponent,
  redirectTo,
} from './challenge.ts';
import { type FlowFacts, type FlowState, firstContext, type PlannedStage } from './flow-state.ts';
import { loadStage } from './load-stage.ts';
import { isStageDue } from './planner.ts';
import { type Move, type StageKind, type Step, stay, type Write } from './stage-kind.ts';
import { deleteState, reloadState, replaceState, type StoredState } from './state-store.ts';

export interface ExecutorNeeds {
  readonly engine: Engine;
  readonly key: InstanceKey;
  readonly policies: PolicyEngine;
  readonly kinds: readonly StageKind[];
  /** Carries out what a plan appends to a flow's own stages. */
  append(step: PlanStep, state: FlowState, tx: Query, call: Call): Promise<void>;
  /** Where a person goes when a flow ends and nothing says where. */
  homeOf(flow: FlowFacts, call: Call): Promise<string>;
  readonly log: Log;
}

export interface Shown {
  readonly challenge: Row;
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[];
}

export interface Executor {
  /** Shows where somebody stands, or takes their answer and shows where that leads. */
  proceed(call: Call, flow: FlowFacts, held: StoredState, answer: Row | null): Promise<Shown>;
}

/** Walks people through flows. Stages say what should happen; only here does it happen. */
export function createExecutor(needs: ExecutorNeeds): Executor {
  const { key, policies, engine } = needs;
  const kinds = new Map(needs.kinds.map((kind) => [kind.resource.model, kind]));

  async function walk(
    call: Call,
    flow: FlowFacts,
    start: StoredState,
    answer: Row | null,
    isSentBack = false,
  ): Promise<Shown> {
    const cookies: string[] = [];
    let held = start;
    let given = answer;
    for (;;) {
      const planned = held.state.stages[held.state.at];
      if (!planned) return finish(call, flow, held, cookies);
      const draft = structuredClone(held.state);
      const move = await moveOf(call, flow, planned, draft, given);
      given = null;
      if (move.move === 'deny') return denied(call, flow, held, move.message, move.write);
      if (move.move === 'ask') {
        await noteMemory(call, held, draft);
        return { challenge: challengeOf(flow, move.component, move.challenge), cookies };
      }
      const kept = await keepOrRefuse(
        call,
        held,
        stateAfter(move, planned, draft),
        'write' in move ? move.write : undefined,
      );
      if (!kept) return standing(call, flow, held);
      if (kept instanceof Problem) return denied(call, flow, held, kept.message);
      if (kept instanceof Invalid) return sentBack(call, flow, held, draft, kept.complaints, isSentBack);
      held = kept;
      if (move.move === 'leave') return { challenge: redirectTo(move.to), cookies };
      if (move.move === 'stay') return complained(await walk(call, flow, held, null), move.errors);
      if (move.move === 'next') cookies.push(...(move.cookies ?? []));
    }
  }

  type EngineMove =
    | Exclude<Move, { move: 'ask' }>
    | { readonly move: 'ask'; readonly component: string; readonly challenge: Row };

  async function moveOf(
    call: Call,
    flow: FlowFacts,
    planned: PlannedStage,
    draft: FlowState,
    given: Row | null,
  ): Promise<EngineMove> {
    if (planned.evaluateAtRun) {
      const isDue = await orProblem(isStageDue(policies, call, flow, planned, draft.context));
      if (isDue instanceof Problem) return { move: 'deny', message: isDue.message };
      if (!isDue) return { move: 'next' };
    }
    const kind = kinds.get(planned.kind);
    if (!kind) return { move: 'deny', message: 'This step is of a kind that this server does not know.' };
    const step = await stepOf(call, flow, planned, kind, draft);
    const shown = await kind.show(step);
    // Only a step that asks takes an answer: one that breaks, denies or goes on by itself is not passed by answering it.
    const move = given === null || shown.move !== 'ask' ? shown : await judged(kind, step, given, shown);
    return move.move === 'ask' ? { ...move, component: kind.component } : move;
  }

  /** An answer for another step, or to a step that asks nothing, changes nothing. */
  async function judged(kind: StageKind, step: Step, given: Row, shown: Move): Promise<Move> {
    const isForeign = given.component === undefined ? !hasMemberOf(kind, given) : given.component !== kind.component;
    if (isForeign || !kind.judge) return shown;
    const { values, complaints } = parseBody(kind.answer ?? {}, given, 'create', step.call);
    if (Object.keys(complaints).length > 0) return stay(complaints);
    return kind.judge(step, kind.isAnswer ? given : values);
  }

  async function stepOf(
    call: Call,
    flow: FlowFacts,
    planned: PlannedStage,
    kind: StageKind,
    { context, memory, query }: FlowState,
  ): Promise<Step> {
    return {
      call,
      flow,
      engine,
      settings: await loadStage(engine, kind.resource, planned.stage, call),
      context,
      memory,
      query,
      pendingUser: async () =>
        context.pending_user === null ? null : loadUserFacts(call, call.db.read, context.pending_user),
    };
  }

  /** Stores the next state with everything that belongs to the move. Null when another answer was faster. */
  function keep(call: Call, held: StoredState, state: FlowState, write?: Write): Promise<StoredState | null> {
    return call.db.write(async (tx) => {
      const kept = await replaceState(tx, key, held, state, call.now);
      if (!kept || !write) return kept;
      await write(tx, call);
      // What was written may be part of the state: the user who was just made.
      return replaceState(tx, key, kept, state, call.now);
    });
  }

  async function keepOrRefuse(
    call: Call,
    held: StoredState,
    state: FlowState,
    write?: Write,
  ): Promise<StoredState | null | Invalid | Problem> {
    try {
      return await keep(call, held, state, write);
    } catch (error) {
      if (error instanceof Invalid || error instanceof Problem) return error;
      throw error;
    }
  }

  /** The answers of an earlier step turned out wrong: what is wrong is forgotten and asked for again, once. */
  async function sentBack(
    call: Call,
    flow: FlowFacts,
    held: StoredState,
    draft: FlowState,
    errors: Complaints,
    isAgain: boolean,
  ): Promise<Shown> {
    if (isAgain || draft.at === 0) return denied(call, flow, held, textsOf(errors).join(' '));
    const known = Object.entries(draft.context.prompt_data).filter(([name]) => !Object.hasOwn(errors, name));
    const context = { ...draft.context, prompt_data: Object.fromEntries(known) };
    const kept = await keep(call, held, { ...draft, context, at: draft.at - 1, memory: {} });
    if (!kept) return standing(call, flow, held);
    return complained(await walk(call, flow, kept, null, true), errors);
  }

  /** What a stage noted while it made its challenge. */
  async function noteMemory(call: Call, held: StoredState, draft: FlowState): Promise<void> {
    if (JSON.stringify(draft) !== JSON.stringify(held.state)) await keep(call, held, draft);
  }

  /** Another answer of the same person moved the walk: they see where it stands now. */
  async function standing(call: Call, flow: FlowFacts, held: StoredState): Promise<Shown> {
    const moved = await reloadState(call.db.read, key, held);
    if (moved) return walk(call, flow, moved, null);
    return { challenge: redirectTo(await needs.homeOf(flow, call)), cookies: [] };
  }

  async function denied(
    call: Call,
    flow: FlowFacts,
    held: StoredState,
    message: string,
    write?: Write,
  ): Promise<Shown> {
    await call.db.write(async (tx) => {
      if (await deleteState(tx, held)) await write?.(tx, call);
    });
    return { challenge: deniedChallenge(flow, message, held.state.next), cookies: [] };
  }

  async function finish(call: Call, flow: FlowFacts, held: StoredState, cookies: readonly string[]): Promise<Shown> {
    const { plan, next } = held.state;
    try {
      await call.db.write(async (tx) => {
        if (!(await deleteState(tx, held))) return;
        for (const step of plan.append) await needs.append(step, held.state, tx, call);
      });
    } catch (error) {
      if (error instanceof Problem) return denied(call, flow, held, error.message);
      throw error;
    }
    return { challenge: redirectTo(next ?? (await needs.homeOf(flow, call))), cookies };
  }

  return {
    async proceed(call, flow, held, answer) {
      try {
        return await walk(call, flow, held, answer);
      } catch (error) {
        if (error instanceof PasswordQueueFull) throw error;
        // A stage that breaks lets nobody through: the walk stays where it was.
        needs.log.error({ err: error, request_id: call.request.id, flow: flow.slug }, 'a stage failed');
        const members = { request_id: call.request.id, error: 'This step could not be carried out.' };
        return { challenge: challengeOf(flow, faultComponent, members), cookies: [] };
      }
    },
  };
}

/** What a person is told who may not go on, as the flow wants it told. */
export function deniedChallenge(flow: FlowFacts, message: string, next: string | null): Row {
  if (flow.denied_action === 'continue' && next) return redirectTo(next);
  const to = flow.denied_action === 'message_continue' ? next : null;
  return challengeOf(flow, deniedComponent, { error_message: message, ...(to && { to }) });
}

/** Where the walk stands after a move. A wrong answer starts it over where the binding says so. */
function stateAfter(
  move: Extract<Move, { move: 'next' | 'stay' | 'leave' | 'detour' }>,
  planned: PlannedStage,
  draft: FlowState,
): FlowState {
  const { onInvalid } = planned;
  const { at, stages } = draft;
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

const orProblem = <T>(work: Promise<T>): Promise<T | Problem> =>
  work.catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });

/** An answer says what it is for, or at least holds something that this step asks for. */
const hasMemberOf = ({ answer = {}, isAnswer }: StageKind, given: Row): boolean =>
  isAnswer?.(given) ?? Object.keys(answer).some((name) => Object.hasOwn(given, name));

const textsOf = (errors: Complaints): string[] => Object.values(errors).flatMap((texts) => Object.values(texts).flat());

/** A screen that ends the walk has its own words. */
const complained = (shown: Shown, errors: Complaints): Shown =>
  endings.has(shown.challenge.component as string)
    ? shown
    : { ...shown, challenge: { ...shown.challenge, response_errors: detailedErrors(errors) } };

const endings: ReadonlySet<string> = new Set([deniedComponent, faultComponent, redirectComponent]);
