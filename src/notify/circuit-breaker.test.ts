import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { Undeliverable, Undelivered } from './transport-kind.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const failAfter = (seconds: number, error: Error) => async () => {
  vi.advanceTimersByTime(seconds * 1_000);
  throw error;
};
const arrive = async () => 'arrived';
const silent = new Undelivered('nothing was said');

test('a receiver that said nothing is left alone for a minute, and no other is', async () => {
  const breaker = createCircuitBreaker();
  await expect(breaker.try('silent', failAfter(10, silent))).rejects.toBe(silent);
  await expect(breaker.try('silent', arrive)).rejects.toThrow('it is tried again later');
  expect(await breaker.try('other', arrive)).toBe('arrived');
  vi.advanceTimersByTime(60_000);
  expect(await breaker.try('silent', arrive)).toBe('arrived');
});

test.each([
  ['a receiver that refused at once', 1, silent],
  ['a mail server that took its time to refuse for good', 10, new Undeliverable('no such person')],
  ['a database that was slow', 10, new Error('timeout')],
])('%s is not left alone', async (_, seconds, error) => {
  const breaker = createCircuitBreaker();
  await expect(breaker.try('one', failAfter(seconds, error))).rejects.toBe(error);
  expect(await breaker.try('one', arrive)).toBe('arrived');
});
