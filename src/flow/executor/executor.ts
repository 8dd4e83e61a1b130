import { type Complaints, Invalid, Problem } from '../../lib/problem.ts';
import type { Log } from '../../platform/log.ts';
import { PasswordQueueFull } from '../../platform/passwords.ts';
import type { PolicyEngine } from '../../policy/engine.ts';
import type { Call } from '../../resource/call.ts';
import type { Fields, Row } from '../../resource/fields/field.ts';
import { parseBody } from '../../resource/parse.ts';
import type { Engine } from '../../resource/read.ts';
import { challengeOf, faultComponent, filledTitle, redirectTo, textsOf, withComplaints } from './challenge.ts';
import { denyWalk, type EndNeeds, endWalk } from './end-walk.ts';
import type { FlowFacts, FlowState, PlannedStage } from './flow-state.ts';
import { loadStage } from './load-stage.ts';
import { isUntouched } from './opening.ts';
import { forgetPendingUser, pendingUserOf } from './pending-user.ts';
import { isStageDue } from './planner.ts';
import { afterDetour, type Detour, type DetourOf } from './sign-out-detour.ts';
import { bothOf, type Move, type StageKind, type StageScreen, type Step, stay, type Write } from './stage-kind.ts';
import { draftOf, stateAfter } from './state-after.ts';
import { type HeldState, keepState, reloadState } from './state-store.ts';

export interface ExecutorNeeds extends EndNeeds {
  readonly engine: Engine;
  readonly policies: PolicyEngine;
  readonly kinds: readonly StageKind[];
  /** Where a person goes when a flow ends and nothing says where. */
  homeOf(flow: FlowFacts, call: Call): Promise<string>;
  readonly detourOf: DetourOf;
  readonly log: Log;
}

export interface Shown {
  readonly challenge: Row;
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[];
  /** Whether this is the first question and nothing is stored: the walk begins with its answer. */
  readonly isOpening?: boolean;
  /** Why the walk ended, where it was denied; the challenge may lead elsewhere without a word. */
  readonly denial?: string;
}

interface Asked {
  readonly component: string;
  readonly challenge: Row;
  readonly cookies: readonly string[];
  /** Whether no answer has led here. */
  readonly isUnanswered: boolean;
}

export interface Executor {
  /** Shows where somebody stands, or takes their answer and shows where that leads. */
  proceed(call: Call, flow: FlowFacts, held: HeldState, answer: Row | null): Promise<Shown>;
  /** Ends a walk that somebody may not go through. */
  deny(call: Call, flow: FlowFacts, held: HeldState, message: string): Promise<Shown>;
  /** Stores a walk whose first question could not be left to the browser. */
  store(call: Call, held: HeldState): Promise<void>;
}

/** A walk with what belongs to moves since it was stored, and waits to be stored with it. */
type Underway = HeldState & { readonly unwritten?: Write | undefined };

/** Walks people through flows. Stages say what should happen; only here does it happen. */
export function createExecutor(needs: ExecutorNeeds): Executor {
  const { key, policies, engine } = needs;
  const kinds = new Map(needs.kinds.map((kind) => [kind.resource.model, kind]));

  /** Whoever signs out on the way goes on by way of those who have to hear of it. */
  async function walk(
    call: Call,
    flow: FlowFacts,
    start: Underway,
    answer: Row | null,
    isSentBack = false,
  ): Promise<Shown> {
    const detours: Detour[] = [];
    const shown = await walkOn(call, flow, start, answer, isSentBack, detours);
    const [detour] = detours;
    return detour ? { ...shown, challenge: afterDetour(detour, flow, start.state, shown.challenge) } : shown;
  }

  async function walkOn(
    call: Call,
    flow: FlowFacts,
    start: Underway,
    answer: Row | null,
    isSentBack: boolean,
    detours: Detour[],
  ): Promise<Shown> {
    const cookies: string[] = [];
    let held: Underway = start;
    let { state } = start;
    let given = answer;
    // A step that breaks does not undo those that were passed before it.
    const keepingUpTo = (reached: FlowState) => async (error: unknown) => {
      if (reached !== held.state) await keep(call, held, reached);
      throw error;
    };
    for (;;) {
      const planned = state.stages[state.at];
      const draft = draftOf(state);
      const move = planned ? await moveOf(call, flow, planned, draft, given).catch(keepingUpTo(state)) : null;
      given = null;
      if (move?.move === 'deny') return denied(call, flow, held, move.message, move.write);
      if (move?.move === 'ask') {
        const isUnanswered = answer === null || state === start.state;
        return asked(call, flow, held, draft, { ...move, cookies, isUnanswered });
      }
      const after = planned && move ? stateAfter(move, planned, draft) : draft;
      // What may wait, or changes nothing but where somebody stands, is stored with whatever comes next.
      if (move?.move === 'next' && (!move.write || move.mayWait)) {
        state = after;
        held = { ...held, unwritten: bothOf(held.unwritten, move.write) };
        cookies.push(...(move.cookies ?? []));
        continue;
      }
      const isOver = after.at >= after.stages.length;
      const detour = move?.move === 'next' && move.ends ? await needs.detourOf(call, move.ends) : null;
      const kept = await orRefusal((isOver ? end : keep)(call, held, after, move?.write));
      if (!kept) return standing(call, flow, held);
      if (kept instanceof Problem) return denied(call, flow, held, kept.message);
      if (kept instanceof Invalid) return sentBack(call, flow, held, draft, kept.complaints, isSentBack);
      held = kept;
      state = after;
      if (detour) detours.push(detour);
      if (move?.move === 'leave') return { challenge: redirectTo(move.to), cookies };
      if (move?.move === 'stay') return complained(await walk(call, flow, held, null), move.errors);
      if (move?.move === 'next') cookies.push(...(move.cookies ?? []));
      if (isOver) return { challenge: redirectTo(state.next ?? (await needs.homeOf(flow, call))), cookies };
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
    return move.move === 'ask' ? { ...move, component: screenOf(kind, move).component } : move;
  }

  /** An answer for another step, or to a step that asks nothing, changes nothing. */
  async function judged(kind: StageKind, step: Step, given: Row, shown: Move): Promise<Move> {
    const { component, answer = {} } = screenOf(kind, shown);
    const isForeign = given.component === undefined ? !isAnswerTo(kind, answer, given) : given.component !== component;
    if (isForeign || !kind.judge) return shown;
    const { values, complaints } = parseBody(answer, given, 'create', step.call);
    if (Object.keys(complaints).length > 0) return stay(complaints);
    return kind.judge(step, kind.isAnswer ? given : values);
  }

  async function stepOf(
    call: Call,
    flow: FlowFacts,
    planned: PlannedStage,
    kind: StageKind,
    draft: FlowState,
  ): Promise<Step> {
    const { context, memory, query } = draft;
    return {
      walk: draft,
      call,
      flow,
      engine,
      settings: await loadStage(engine, kind.resource, planned.stage, call),
      context,
      memory,
      query,
      pendingUser: pendingUserOf(call, context),
    };
  }

  /**
   * Stores the next state with everything that belongs to its moves. Null when another answer was faster. Where somebody
   * stands, and what could wait, need not wait for the disk: at worst they begin again.
   */
  async function keep(call: Call, held: Underway, state: FlowState, last?: Write): Promise<HeldState | null> {
    const before = JSON.stringify(state);
    const write = bothOf(held.unwritten, last);
    // Whoever stays as they were costs nothing: guesses that are not even looked at are stored nowhere.
    if (held.version > 0 && !write && before === JSON.stringify(held.state)) return held;
    return call.db.write(
      async (tx) => {
        const kept = await keepState(tx, key, held, state, call);
        if (!kept || !write) return kept;
        await write(tx, call).finally(() => forgetPendingUser(call));
        // What was written may be part of the state: the user who was just made.
        return JSON.stringify(state) === before ? kept : keepState(tx, key, kept, state, call);
      },
      // A write may add to the state: who was just made.
      { durable: last !== undefined, isRepeatable: !write },
    );
  }

  const end = (call: Call, held: Underway, state: FlowState, last?: Write): Promise<HeldState | null> =>
    endWalk(needs, call, held, state, bothOf(held.unwritten, last));

  /** The answers of an earlier step turned out wrong: what is wrong is forgotten and asked for again, once. */
  async function sentBack(
    call: Call,
    flow: FlowFacts,
    held: Underway,
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

  /** Shows a question. The walk is stored unless it stands as it did, or a stranger has not answered anything yet. */
  async function asked(
    call: Call,
    flow: FlowFacts,
    held: Underway,
    draft: FlowState,
    { component, challenge, cookies, isUnanswered }: Asked,
  ): Promise<Shown> {
    const shown = { challenge: challengeOf(flow, component, challenge), cookies };
    const isOpening = held.version === 0 && call.actor === null && isUnanswered && isUntouched(draft);
    if (isOpening) return { ...shown, isOpening };
    return (await keep(call, held, draft)) ? shown : standing(call, flow, held);
  }

  /** Another answer of the same person moved the walk: they see where it stands now. */
  async function standing(call: Call, flow: FlowFacts, held: HeldState): Promise<Shown> {
    const moved = await reloadState(call.db.read, key, held, call.now);
    if (moved) return walk(call, flow, moved, null);
    return { challenge: redirectTo(await needs.homeOf(flow, call)), cookies: [] };
  }

  async function denied(call: Call, flow: FlowFacts, held: Underway, denial: string, last?: Write): Promise<Shown> {
    const challenge = await denyWalk(needs, call, flow, held, denial, bothOf(held.unwritten, last));
    return { challenge, cookies: [], denial };
  }

  return {
    deny: denied,
    async store(call, held) {
      await keep(call, held, held.state);
    },
    async proceed(call, facts, held, answer) {
      const flow = { ...facts, title: filledTitle(facts.title, held.state) };
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

const orRefusal = <T>(work: Promise<T>): Promise<T | Invalid | Problem> =>
  work.catch((error: unknown) => {
    if (error instanceof Invalid || error instanceof Problem) return error;
    throw error;
  });

const orProblem = <T>(work: Promise<T>): Promise<T | Problem> =>
  work.catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });

/** An answer says what it is for, or at least holds something that this step asks for. */
const isAnswerTo = ({ isAnswer }: StageKind, answer: Fields, given: Row): boolean =>
  isAnswer?.(given) ?? Object.keys(answer).some((name) => Object.hasOwn(given, name));

/** The screen that a stage means when it asks. */
const screenOf = (kind: StageKind, move: Move): StageScreen =>
  (move.move === 'ask' && kind.otherScreens?.find(({ component }) => component === move.component)) || kind;

const complained = (shown: Shown, errors: Complaints): Shown => ({
  ...shown,
  challenge: withComplaints(shown.challenge, errors),
});
