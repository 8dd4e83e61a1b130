import { expect, test } from 'vitest';
import { planThrough } from '../plan.ts';
import {
  type FlowContext,
  firstContext,
  hasGained,
  setCreatedUser,
  setPendingUser,
  storedState,
} from './flow-state.ts';
import { stateAtStart } from './planner.ts';

const plan = planThrough({ pk: 'f', slug: 'f' }, 1);
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

test('what was shown for one user is gone when the walk is about another, or about nobody', () => {
  for (const user of [2, null]) {
    const context = shown();
    setPendingUser(context, user);
    expect(context).toEqual({ ...firstContext(plan), pending_user: user, invitation: 'i' });
  }
});

test('it stays while the walk is about the same user, and for one that it creates', () => {
  const context = shown();
  setPendingUser(context, 1);
  expect(context).toEqual(shown());
  setCreatedUser(context, 2);
  expect(context).toEqual({ ...shown(), pending_user: 2, created_user: 2 });
});

test('a walk gains by each proof, by one of another user, by an account that it makes and by an invitation', () => {
  const [nothing, once] = [firstContext(plan), shown()];
  const other = { ...shown(), pending_user: 2 };
  expect(hasGained(nothing, once)).toBe(true);
  expect(hasGained(once, other)).toBe(true);
  expect(hasGained(once, { ...once })).toBe(false);
  expect(hasGained(once, { ...once, mfa_devices: ['7', '8'] })).toBe(true);
  expect(hasGained(nothing, { ...nothing, created_user: 2 })).toBe(true);
  expect(hasGained(nothing, { ...nothing, invitation_in_effect: true })).toBe(true);
  expect(hasGained(once, { ...nothing, pending_user: 2 })).toBe(false);
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
