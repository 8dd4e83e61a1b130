import { equalInConstantTime } from '../../lib/constant-time.ts';
import { Problem } from '../../lib/problem.ts';
import type { UserText } from '../../lib/texts/message.ts';
import { isUnreachable } from '../../platform/db/unreachable.ts';
import type { Log } from '../../platform/log.ts';
import { PasswordQueueFull } from '../../platform/passwords.ts';
import { NotRecentlyAuthenticated } from '../../resource/access/recent-authentication.ts';
import type { Call } from '../../resource/call.ts';
import type { Row } from '../../resource/fields/field.ts';
import { applyEffect, type EffectDependencies, store } from './apply-effect.ts';
import { challengeOf, confirmScreen, faultComponent, withComplaints, withTitle } from './challenge.ts';
import { createFaultEvents } from './fault-events.ts';
import type { ExecutorFlow } from './flow-state.ts';
import { redirectThroughLogout } from './logout-redirects.ts';
import type { StageKind } from './stage-kind.ts';
import { completePassedStages, nextMove, type StageDependencies } from './stage-move.ts';
import { copyState } from './state-after.ts';
import type { ActiveWalk } from './state-store.ts';
import { advance, type Screen, type Walk, type WalkMove, walkFrom } from './walk.ts';

export interface ExecutorDependencies
  extends Omit<EffectDependencies, 'completePassedStages'>,
    Omit<StageDependencies, 'kinds'> {
  readonly kinds: readonly StageKind[];
  readonly log: Log;
}

/** The response to a request to the executor. */
export interface ExecutorReply extends Screen {
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[];
  /** The browser's token from now on; null if it may have got a new one in the meantime. */
  readonly token: string | null;
  /** The walk as it is now, for callers that keep it themselves. */
  readonly walk?: ActiveWalk;
}

export interface Executor {
  /** Returns the current challenge, or processes an answer and returns the next one. */
  proceed(call: Call, flow: ExecutorFlow, stored: ActiveWalk, answer: Row | null): Promise<ExecutorReply>;
  /** Ends a denied walk. */
  deny(call: Call, flow: ExecutorFlow, stored: ActiveWalk, message: UserText): Promise<ExecutorReply>;
  /** Stores a walk whose opening does not fit into a cookie. */
  store(call: Call, stored: ActiveWalk): Promise<void>;
}

/** Runs walks. Stages return moves; only the executor carries them out. */
export function createExecutor(given: ExecutorDependencies): Executor {
  const kinds = new Map(given.kinds.map((kind) => [kind.resource.model, kind]));
  const needs: ExecutorDependencies & EffectDependencies = {
    ...given,
    completePassedStages: (state, tx, call) => completePassedStages(kinds, state, tx, call),
  };
  const stages = { ...needs, kinds };
  const faults = createFaultEvents();

  /** Lets stages move until there is a screen to show. */
  async function run(call: Call, start: Walk, reach?: (walk: Walk) => void): Promise<ExecutorReply> {
    let walk = start;
    while (!walk.screen) {
      reach?.(walk);
      const draft = { ...walk, state: copyState(walk.state) };
      const move = await moveFrom(call, walk, draft, reach);
      walk = isUnasked(call, walk, move) ? await make(call, walk, showChallenge(walk)) : await make(call, draft, move);
    }
    return shownAt(walk, walk.screen);
  }

  /** A failing step does not undo the steps passed before it. */
  async function moveFrom(call: Call, walk: Walk, draft: Walk, reach?: (walk: Walk) => void): Promise<WalkMove> {
    try {
      return await nextMove(stages, call, draft);
    } catch (error) {
      const stored = walk.state === walk.stored.state ? null : await store(needs, call, walk, walk.state);
      if (stored) reach?.({ ...walk, stored });
      throw error;
    }
  }

  /** Makes a move, or the one that replaces it if it cannot be stored. */
  async function make(call: Call, walk: Walk, move: WalkMove): Promise<Walk> {
    const { walk: after, effect } = advance(walk, move);
    if (effect.do === 'nothing') return after;
    const done = await applyEffect(needs, call, walk, after, effect);
    return 'move' in done ? make(call, walk, done) : done;
  }

  return {
    async proceed(call, facts, stored, answer) {
      const flow = withTitle(facts, stored.state);
      let walk = walkFrom(flow, stored, answer);
      try {
        return await run(call, walk, (reached) => {
          walk = reached;
        });
      } catch (error) {
        // A walk with a new token would be lost without the cookie, which only a screen brings.
        if (error instanceof NotRecentlyAuthenticated) throw error;
        if (isBusy(error) && equalInConstantTime(walk.stored.token, stored.token)) throw error;
        // A stage that throws does not pass: the walk stays at it (fail closed).
        needs.log.error({ err: error, request_id: call.request.id, flow: flow.slug }, 'a stage failed');
        await faults.record(call, walk, error).catch(() => {
          // Already logged.
        });
        const members = { request_id: call.request.id, error: 'This step could not be carried out.' };
        return { challenge: challengeOf(flow, faultComponent, members), cookies: [], token: walk.stored.token };
      }
    },
    async deny(call, flow, stored, message) {
      return run(call, await make(call, walkFrom(flow, stored, null), { move: 'deny', message }));
    },
    async store(call, stored) {
      await store(needs, call, { stored }, stored.state);
    },
  };
}

/**
 * Whether a move would change something because a browser was sent to the page of a flow. The user is asked first: no
 * request header shows what they want, since our own redirects lead there, too.
 */
const isUnasked = (call: Call, { state }: Walk, move: WalkMove): boolean =>
  state.plan.isOpened === true && call.actor !== null && move.move !== 'deny' && 'write' in move && !!move.write;

const showChallenge = ({ flow }: Walk): WalkMove => ({
  move: 'ask',
  component: confirmScreen.component,
  challenge: { signs_out: flow.designation === 'invalidation', sends_mail: false },
});

function shownAt({ flow, stored, state, cookies, complaints, logoutRedirect }: Walk, screen: Screen): ExecutorReply {
  const challenge = complaints ? withComplaints(screen.challenge, complaints) : screen.challenge;
  return {
    ...screen,
    challenge: logoutRedirect ? redirectThroughLogout(logoutRedirect, flow, state, challenge) : challenge,
    cookies: cookies.flat(),
    token: screen.isOvertaken ? null : stored.token,
    walk: { ...stored, state },
  };
}

/** Not a fault of the stage: the database or the server is busy, or the anonymous quota is exhausted. */
const isBusy = (error: unknown): boolean =>
  error instanceof PasswordQueueFull ||
  isUnreachable(error) ||
  (error instanceof Problem && error.code === 'unavailable');
