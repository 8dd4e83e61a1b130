import { expect, test } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

test('so many in a window, which begins with the first; each key has a count of its own', () => {
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

test('whoever comes again and again is not forgotten for the sake of others, who are', () => {
  const limit = createRateLimit({ max: 1, windowMs: 100, keys: 2 }, () => 0);
  expect(limit.waitAfter('often')).toBe(0);
  for (const other of ['b', 'c', 'd', 'e', 'f']) {
    expect(limit.waitAfter(other)).toBe(0);
    expect(limit.waitAfter('often')).toBe(100);
  }
  expect(limit.waitAfter('b')).toBe(0);
});
