import { describe, expect, test } from 'vitest';
import { verbatim } from '../../lib/texts/message.ts';
import { createPlan } from '../plan.ts';
import type { ExecutorFlow, FlowState, PlannedStage } from './flow-state.ts';
import { stateAtStart } from './planner.ts';
import type { Write } from './stage-kind.ts';
import { advance, type Effect, type Walk, type WalkMove, walkFrom } from './walk.ts';

const flow: ExecutorFlow = {
  pk: 'f',
  slug: 'sign-in',
  name: 'Sign in',
  title: 'Welcome',
  designation: 'authentication',
  background: '',
  layout: 'stacked',
  denied_action: 'message',
};

const stage = (name: string, more: Partial<PlannedStage> = {}): PlannedStage => ({
  binding: `binding of ${name}`,
  target: `target of ${name}`,
  mode: 'any',
  evaluateAtRun: true,
  stage: name,
  kind: 'kind',
  onInvalid: 'retry',
  ...more,
});

const refusal = { append: [], next: '/refused' };
const plan = createPlan(flow, 7, { refusal });
const first: FlowState = {
  ...stateAtStart(plan, { next: '/target', query: {}, actor: null }),
  stages: [stage('one'), stage('two'), stage('three')],
};
const changed = { ...first.context, prompt_data: { name: 'Ada', email: 'wrong' } };

/** A walk that is stored, at its second stage, with an answer not yet judged. */
const stored = (state: Partial<FlowState> = {}, more: Partial<Walk> = {}): Walk => {
  const reached = { ...first, at: 1, memory: { code: 1 }, ...state };
  return { ...walkFrom(flow, { token: 't', version: 3, state: reached }, { code: '1' }), ...more };
};
/** A walk that begins in this request. */
const begun = (state: Partial<FlowState> = {}, more: Partial<Walk> = {}): Walk => ({
  ...walkFrom(flow, { token: 't', version: 0, state: { ...first, ...state } }, null),
  ...more,
});

const write: Write = async () => {};
const waiting: Write = async () => {};
const errors = { email: ['Enter an address.'] };
const question: WalkMove = { move: 'ask', component: 'screen', challenge: { hint: 'x' } };
const challenge = expect.objectContaining({ component: 'screen', hint: 'x', flow_info: expect.anything() });
const elsewhere = { token: 't', version: 9, state: { ...first, at: 2 } };
const logoutRedirect = (to: string) => `/out?to=${to}`;

interface Case {
  readonly walk: Walk;
  readonly move: WalkMove;
  readonly effect: Effect;
  /** What of the walk the step changes. */
  readonly changes: { readonly [Name in keyof Walk]?: unknown };
}

const nothing: Effect = { do: 'nothing' };
/** What every step changes that leads on. */
const taken = { answer: null, isAnswered: true };

const storedQuestion = (walk: Walk): Case => ({
  walk,
  move: question,
  effect: { do: 'store' },
  changes: { screen: { challenge } },
});

/** A wrong answer to a step whose binding says what happens then. */
const wrongAnswer = (onInvalid: PlannedStage['onInvalid'], after: Partial<FlowState>): Case => {
  const stages = [stage('one'), stage('two', { onInvalid })];
  const walk = stored({ context: changed, stages });
  const state = { ...walk.state, ...after };
  return {
    walk,
    move: { move: 'stay', errors, write },
    effect: { do: 'store', write },
    changes: { answer: null, complaints: errors, state },
  };
};

const cases: Readonly<Record<string, Case>> = {
  'the first question to a stranger stores nothing': {
    walk: begun(),
    move: question,
    effect: nothing,
    changes: { screen: { challenge, isOpening: true } },
  },
  'the first question to somebody who is signed in is stored': storedQuestion(begun({ actor: 7 })),
  'a first question that notes something is stored': storedQuestion(begun({ memory: { code: 1 } })),
  'a question after a context was gathered is stored': storedQuestion(begun({ context: changed })),
  'a question that an answer has led to is stored': storedQuestion(begun({}, { isAnswered: true })),
  'an answer to another step shows the first question again and stores nothing': {
    walk: begun({}, { answer: { other: 1 } }),
    move: question,
    effect: nothing,
    changes: { screen: { challenge, isOpening: true } },
  },
  'a question stores what has waited': {
    walk: stored({}, { unwritten: waiting, answer: null }),
    move: question,
    effect: { do: 'store' },
    changes: { unwritten: undefined, screen: { challenge } },
  },
  'going on without a write waits to be stored': {
    walk: stored({}, { unwritten: waiting, cookies: [['a=1']] }),
    move: { move: 'next', cookies: ['b=2'] },
    effect: nothing,
    changes: { ...taken, cookies: [['a=1'], ['b=2']], state: { ...stored().state, at: 2, memory: {} } },
  },
  'going on with a write that may wait keeps it': {
    walk: stored(),
    move: { move: 'next', write, mayWait: true },
    effect: nothing,
    changes: { ...taken, unwritten: write, state: { ...stored().state, at: 2, memory: {} } },
  },
  'going on with a write stores it at once': {
    walk: stored({}, { unwritten: waiting }),
    move: { move: 'next', write, ends: 'session' },
    effect: { do: 'store', write, ends: 'session' },
    changes: { ...taken, unwritten: undefined, state: { ...stored().state, at: 2, memory: {} } },
  },
  'going on from the last stage with a write ends the walk': {
    walk: stored({ at: 2 }),
    move: { move: 'next', write },
    effect: { do: 'end', write },
    changes: { ...taken, state: { ...stored().state, at: 3, memory: {} } },
  },
  'a step that nobody answered leads on unanswered': {
    walk: begun(),
    move: { move: 'next' },
    effect: nothing,
    changes: { state: { ...first, at: 1 } },
  },
  'the end of the stages ends the walk': {
    walk: stored({ at: 3 }, { unwritten: waiting, answer: null }),
    move: { move: 'finish' },
    effect: { do: 'end' },
    changes: { unwritten: undefined },
  },
  'a detour puts another stage before this one': {
    walk: stored(),
    move: { move: 'detour', stage: 'set-up', kind: 'other', write },
    effect: { do: 'store', write },
    changes: {
      ...taken,
      state: {
        ...stored().state,
        memory: {},
        stages: [
          stage('one'),
          stage('two', { stage: 'set-up', kind: 'other', evaluateAtRun: false, isDetour: true }),
          stage('two'),
          stage('three'),
        ],
      },
    },
  },
  'a detour that is passed is gone': {
    walk: stored({ stages: [stage('one'), stage('set-up', { isDetour: true }), stage('two')] }),
    move: { move: 'next' },
    effect: nothing,
    changes: { ...taken, state: { ...stored().state, memory: {}, stages: [stage('one'), stage('two')] } },
  },
  'leaving for elsewhere stays at this step': {
    walk: stored(),
    move: { move: 'leave', to: 'https://source.example', write },
    effect: { do: 'store', write },
    changes: { ...taken, screen: { challenge: { component: 'xak-flow-redirect', to: 'https://source.example' } } },
  },
  'a wrong answer asks the same step again': wrongAnswer('retry', {}),
  'a wrong answer restarts the walk where the binding says so': wrongAnswer('restart', {
    at: 0,
    memory: {},
    context: first.context,
  }),
  'a wrong answer restarts the walk with its context where the binding says so': wrongAnswer('restart_with_context', {
    at: 0,
    memory: {},
  }),
  'the first complaint of a request is the one that is shown': {
    walk: stored({}, { complaints: { name: ['Enter a name.'] } }),
    move: { move: 'stay', errors },
    effect: { do: 'store' },
    changes: { answer: null },
  },
  'a write that finds answers wrong forgets them and asks the step before': {
    walk: stored({ context: changed }, { unwritten: waiting, cookies: [['a=1']], logoutRedirect }),
    move: { move: 'send-back', errors },
    effect: { do: 'store' },
    changes: {
      answer: null,
      cookies: [],
      unwritten: undefined,
      complaints: errors,
      isSentBack: true,
      state: { ...first, context: { ...changed, prompt_data: { name: 'Ada' } }, at: 0 },
    },
  },
  'nobody is sent back twice': {
    walk: stored({}, { isSentBack: true }),
    move: { move: 'send-back', errors },
    effect: { do: 'deny', message: verbatim('Enter an address.') },
    changes: {},
  },
  'nobody is sent back from the first stage': {
    walk: stored({ at: 0 }),
    move: { move: 'send-back', errors },
    effect: { do: 'deny', message: verbatim('Enter an address.') },
    changes: {},
  },
  'a faster answer shows where it has led, without cookies that were not stored': {
    walk: stored({}, { cookies: [['a=1']], unwritten: waiting, complaints: errors, logoutRedirect }),
    move: { move: 'overtaken', by: elsewhere },
    effect: nothing,
    changes: { answer: null, cookies: [], unwritten: undefined, stored: elsewhere, state: elsewhere.state },
  },
  'a faster answer that ended the walk leads home': {
    walk: stored({}, { cookies: [['a=1']] }),
    move: { move: 'overtaken', by: null },
    effect: { do: 'go-home' },
    changes: { answer: null, cookies: [] },
  },
  'a denial sends no cookies': {
    walk: stored({}, { cookies: [['a=1']], unwritten: waiting }),
    move: { move: 'deny', message: verbatim('No.'), write },
    effect: { do: 'deny', message: verbatim('No.'), write },
    changes: { cookies: [] },
  },
  'a refusal ends the walk as its plan says': {
    walk: stored(),
    move: { move: 'refuse', refusal, write },
    effect: { do: 'end', write, isRefused: true },
    changes: { ...taken, state: { ...stored().state, at: 3, plan: { ...plan, append: [] }, next: '/refused' } },
  },
};

describe('a step of a walk through a flow', () => {
  test.each(Object.entries(cases))('%s', (_name, { walk, move, effect, changes }) => {
    const step = advance(walk, move);
    expect(step.effect).toEqual(effect);
    expect(step.walk).toEqual({ ...walk, ...changes });
  });

  test('writes that wait are carried out in their order', async () => {
    const done: string[] = [];
    const noting = (name: string) => async () => void done.push(name);
    const walk = stored({}, { unwritten: noting('first') });
    const { unwritten } = advance(walk, { move: 'next', write: noting('second'), mayWait: true }).walk;
    expect(done).toEqual([]);
    await Reflect.apply(unwritten ?? write, undefined, []);
    expect(done).toEqual(['first', 'second']);
  });
});
