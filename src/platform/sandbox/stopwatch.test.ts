import { beforeEach, expect, test } from 'vitest';
import { createStopwatch, type Stopwatch, TimeLimitExceeded } from './stopwatch.ts';

let spent: number;
let watch: Stopwatch;

beforeEach(() => {
  spent = 1_000;
  watch = createStopwatch(() => spent);
  watch.start(50);
});

function stepsOf(ms: number): number {
  for (let steps = 1; steps < 1_000; steps++) {
    spent += ms;
    try {
      watch.check();
    } catch (error) {
      expect(error).toBeInstanceOf(TimeLimitExceeded);
      return steps;
    }
  }
  return Number.POSITIVE_INFINITY;
}

test('work that goes on ends when its time is up', () => {
  expect(stepsOf(1)).toBe(51);
  watch.start(50);
  expect(stepsOf(1)).toBe(51);
});

test('time that a virtual machine did not get ends nothing', () => {
  spent += 600;
  watch.check();
  spent += 400;
  watch.check();
  expect(stepsOf(1)).toBe(31);
});

test('what runs in between counts as a whole', () => {
  spent += 40;
  watch.checkAll();
  spent += 20;
  expect(() => watch.checkAll()).toThrow(TimeLimitExceeded);
});
