import { type Complaints, messagesOf } from '../../lib/problem.ts';
import { sentences, type UserMessage, verbatim } from '../../lib/texts/message.ts';
import type { Row } from '../../resource/fields/field.ts';
import { challengeOf, redirectTo } from './challenge.ts';
import { isRebuildable } from './flow-start.ts';
import type { ExecutorFlow, FlowState } from './flow-state.ts';
import type { LogoutRedirect } from './logout-redirects.ts';
import { inSequence, type Move, type Write } from './stage-kind.ts';
import { refusedState, stateAfter, stateBefore } from './state-after.ts';
import type { ActiveWalk } from './state-store.ts';

/** A walk within one request. */
export interface Walk {
  readonly flow: ExecutorFlow;
  /** The stored walk. */
  readonly stored: ActiveWalk;
  /** The state after the moves made since. */
  readonly state: FlowState;
  /** Pending writes of those moves, to be stored with the next move that is stored. */
  readonly unwritten?: Write | undefined;
  /** The person's answer, until a step has taken it. */
  readonly answer: Row | null;
  /** Whether this step was reached by an answer in this request. */
  readonly isAnswered: boolean;
  /** Whether a later step rejected the answers and sent the person back, which happens at most once. */
  readonly isSentBack: boolean;
  /** `Set-Cookie` values of each move. The move's write may fill them in, for example for a new session. */
  readonly cookies: readonly (readonly string[])[];
  /** Errors in the answer, to show with the next challenge. */
  readonly complaints?: Complaints | undefined;
  /** The redirect to clients at sign-out, once the browser's session has ended. */
  readonly logoutRedirect?: LogoutRedirect | undefined;
  /** The screen to show; null while the walk continues. */
  readonly screen: Screen | null;
}

export interface Screen {
  readonly challenge: Row;
  /** Whether this is the first challenge and nothing is stored: the walk begins with its answer. */
  readonly isOpening?: boolean;
  /** Whether another answer has ended the walk, or has taken it to a new token. */
  readonly isOvertaken?: boolean;
  /** Whether the walk has ended. */
  readonly isOver?: boolean;
  /** Why the walk was denied, if it was; the challenge may redirect without showing it. */
  readonly denial?: UserMessage;
}

/** A move by a stage or by the executor itself. */
export type WalkMove =
  | Exclude<Move, { move: 'ask' }>
  | { readonly move: 'ask'; readonly component: string; readonly challenge: Row }
  /** No stage is left. */
  | { readonly move: 'finish' }
  /** The previous move's write rejected the answers. */
  | { readonly move: 'send-back'; readonly errors: Complaints }
  /** A concurrent answer was stored first. Null: it ended the walk. */
  | { readonly move: 'overtaken'; readonly by: ActiveWalk | null };

/** What the executor does to complete a step. */
export type Effect =
  | { readonly do: 'nothing' }
  /** Stores the new state with pending writes and the move's own. `ends` is the session that the write ends. */
  | {
      readonly do: 'store';
      readonly write?: Write | undefined;
      readonly ends?: string | undefined;
      readonly isRefused?: undefined;
    }
  /** The same, and ends the walk: runs the plan's steps and redirects. */
  | {
      readonly do: 'end';
      readonly write?: Write | undefined;
      readonly ends?: string | undefined;
      /** Whether the person declined. */
      readonly isRefused?: boolean | undefined;
    }
  | { readonly do: 'deny'; readonly message: UserMessage; readonly write?: Write | undefined }
  | { readonly do: 'go-home' };

/** The walk after the effect has been carried out. */
export interface Advance {
  readonly walk: Walk;
  readonly effect: Effect;
}

export const walkFrom = (flow: ExecutorFlow, stored: ActiveWalk, answer: Row | null): Walk => ({
  flow,
  stored,
  state: stored.state,
  answer,
  isAnswered: false,
  isSentBack: false,
  cookies: [],
  screen: null,
});

/** Computes what a move does to a walk. Pure; the executor carries out the effect. */
export function advance(walk: Walk, move: WalkMove): Advance {
  const { state } = walk;
  switch (move.move) {
    case 'ask':
      return showing(walk, challengeOf(walk.flow, move.component, move.challenge));
    case 'next':
      return passed(walk, move);
    case 'detour':
      return { walk: onward(walk, stateAfter(state, move)), effect: { do: 'store', write: move.write } };
    case 'refuse':
      return {
        walk: onward(walk, refusedState(state, move.refusal)),
        effect: { do: 'end', write: move.write, isRefused: true },
      };
    case 'finish':
      return { walk: onward(walk, state), effect: { do: 'end' } };
    case 'leave': {
      const screen = { challenge: redirectTo(move.to) };
      return { walk: { ...onward(walk, state), screen }, effect: { do: 'store', write: move.write } };
    }
    case 'stay':
      return {
        walk: restartedWalk(walk, stateAfter(state, move), move.errors),
        effect: { do: 'store', write: move.write },
      };
    case 'send-back': {
      if (walk.isSentBack || state.at === 0) return denied(walk, sentences(messagesOf(move.errors)) ?? verbatim(''));
      const again = restartedWalk(walk, stateBefore(state, move.errors), move.errors);
      return { walk: { ...again, isSentBack: true }, effect: { do: 'store' } };
    }
    case 'overtaken': {
      const { by } = move;
      if (!by) return { walk: restartedWalk(walk, state), effect: { do: 'go-home' } };
      return { walk: { ...restartedWalk(walk, by.state), stored: by }, effect: { do: 'nothing' } };
    }
    case 'deny':
      return denied(walk, verbatim(move.message), move.write);
  }
}

/**
 * Shows a challenge. The walk is stored unless an anonymous visitor has answered nothing yet: then the browser holds
 * it.
 */
function showing(walk: Walk, challenge: Row): Advance {
  const { stored, state, isAnswered } = walk;
  const isOpening = stored.version === 0 && state.actor === null && !isAnswered && isRebuildable(state);
  if (isOpening) return { walk: { ...walk, screen: { challenge, isOpening } }, effect: { do: 'nothing' } };
  return { walk: { ...onward(walk, state), screen: { challenge } }, effect: { do: 'store' } };
}

/** Moves without a write, or whose write may wait, are stored with the next move. */
function passed(walk: Walk, move: Extract<Move, { move: 'next' }>): Advance {
  const { write, mayWait, ends, cookies } = move;
  const state = stateAfter(walk.state, move);
  const after = { ...onward(walk, state), cookies: cookies ? [...walk.cookies, cookies] : walk.cookies };
  if (!write || mayWait)
    return { walk: { ...after, unwritten: inSequence(walk.unwritten, write) }, effect: { do: 'nothing' } };
  return { walk: after, effect: { do: state.at < state.stages.length ? 'store' : 'end', write, ends } };
}

const denied = (walk: Walk, message: UserMessage, write?: Write): Advance => ({
  walk: { ...walk, cookies: [] },
  effect: { do: 'deny', message, write },
});

/** Advances the walk. An answer serves one step. */
const onward = (walk: Walk, state: FlowState): Walk => ({
  ...walk,
  state,
  unwritten: undefined,
  answer: null,
  isAnswered: walk.isAnswered || walk.answer !== null,
});

/** Restarts the walk from this state; errors to show are carried over. */
const restartedWalk = (
  { flow, stored, logoutRedirect, complaints }: Walk,
  state: FlowState,
  errors?: Complaints,
): Walk => ({
  ...walkFrom(flow, stored, null),
  state,
  logoutRedirect,
  complaints: complaints ?? errors,
});
