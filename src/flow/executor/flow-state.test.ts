import { expect, test } from 'vitest';
import { createPlan } from '../plan.ts';
import {
  type FlowContext,
  firstContext,
  needsNewToken,
  setCreatedUser,
  setPendingUser,
  storedState,
} from './flow-state.ts';
import { stateAtStart } from './planner.ts';

const plan = createPlan({ pk: 'f', slug: 'f' }, 1);
const start = { next: null, query: {}, actor: null };

const shown = (): FlowContext => ({
  ...firstContext(plan),
  auth_method: 'password',
  auth_method_args: { known_device: true },
  is_sso: true,
  mfa_devices: ['7'],
  is_restored: true,
  user_notes: { enrolled_devices: [7] },
  invitation: 'i',
});

test('what was shown for one user is gone when the walk is about another, or about no user', () => {
  for (const user of [2, null]) {
    const context = shown();
    setPendingUser(context, user);
    expect(context).toEqual({ ...firstContext(plan), pending_user: user, invitation: 'i' });
  }
});

test('it stays while the walk is about the same user, and for one that it creates where there was none', () => {
  const context = shown();
  setPendingUser(context, 1);
  expect(context).toEqual(shown());
  const ofNobody = { ...shown(), pending_user: null };
  setCreatedUser(ofNobody, 2);
  expect(ofNobody).toEqual({ ...shown(), pending_user: 2, created_user: 2 });
});

test('what was shown for one user is not true of another whom the walk creates', () => {
  const context = shown();
  setCreatedUser(context, 2);
  expect(context).toEqual({ ...firstContext(plan), pending_user: 2, created_user: 2, invitation: 'i' });
});

test('a walk needs a new token with each proof, with one of another user, and with whatever else stages give it', () => {
  const [nothing, once] = [firstContext(plan), shown()];
  expect(needsNewToken(nothing, once)).toBe(true);
  expect(needsNewToken(once, { ...once, pending_user: 2 })).toBe(true);
  expect(needsNewToken(once, { ...once, mfa_devices: ['7', '8'] })).toBe(true);
  expect(needsNewToken(nothing, { ...nothing, user_notes: { enrolled_devices: [8] } })).toBe(true);
  expect(needsNewToken(nothing, { ...nothing, created_user: 2 })).toBe(true);
  expect(needsNewToken(nothing, { ...nothing, invitation_in_effect: true })).toBe(true);
  expect(needsNewToken(once, shown())).toBe(false);
});

test('it needs none with what was typed, whether or not that names a user', () => {
  const typed = {
    pending_user_identifier: 'ann',
    prompt_data: { email: 'ann@company.example' },
    show_matched_user: true,
  };
  for (const pending_user of [null, 2])
    expect(needsNewToken(firstContext(plan), { ...firstContext(plan), ...typed, pending_user })).toBe(false);
});

test('notes of a walk that the last release stored are found, and gone with their user', () => {
  const old = stateAtStart({ ...plan, context: { enrolled_devices: [7] } }, start);
  Reflect.deleteProperty(old.context, 'user_notes');
  const state = storedState(old);
  expect(state.context.user_notes.enrolled_devices).toEqual([7]);
  setPendingUser(state.context, 2);
  expect(state.context.user_notes).toEqual({});
  expect(storedState(state)).toBe(state);
});
