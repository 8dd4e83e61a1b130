import { expect, test } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

test('the rate limit counts each key in a window that begins with its first call', () => {
  let moment = 1_000;
  const limit = createRateLimit({ max: 2, windowMs: 100 }, () => moment);
  expect([limit.waitAfter('a'), limit.waitAfter('a')]).toEqual([0, 0]);
  moment = 1_040;
  expect(limit.waitAfter('a')).toBe(60);
  expect(limit.waitAfter('b')).toBe(0);
  moment = 1_099;
  expect(limit.waitAfter('a')).toBe(1);
  moment = 1_100;
  expect([limit.waitAfter('a'), limit.waitAfter('a'), limit.waitAfter('a')]).toEqual([0, 0, 100]);
});

test('a full rate limiter forgets rare keys before frequent ones', () => {
  const limit = createRateLimit({ max: 1, windowMs: 100, keys: 2 }, () => 0);
  expect(limit.waitAfter('often')).toBe(0);
  for (const other of ['b', 'c', 'd', 'e', 'f']) {
    expect(limit.waitAfter(other)).toBe(0);
    expect(limit.waitAfter('often')).toBe(100);
  }
  expect(limit.waitAfter('b')).toBe(0);
});

test('asking whether a limit is reached counts nothing', () => {
  let moment = 0;
  const limit = createRateLimit({ max: 2, windowMs: 100 }, () => moment);
  limit.waitAfter('a');
  expect([limit.isReached('a'), limit.isReached('a')]).toEqual([false, false]);
  limit.waitAfter('a');
  expect([limit.isReached('a'), limit.isReached('b')]).toEqual([true, false]);
  moment = 100;
  expect(limit.isReached('a')).toBe(false);
});
