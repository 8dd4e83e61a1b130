import { expect, test } from 'vitest';
import { withinSeconds } from './within-seconds.ts';

const never = new Promise<string>(() => {});

test('work within the time limit returns its result', async () => {
  await expect(withinSeconds(5, Promise.resolve('done'))).resolves.toBe('done');
  await expect(withinSeconds(0, Promise.resolve('done'))).resolves.toBe('done');
});

test('work that fails rejects with its own error', async () => {
  await expect(withinSeconds(5, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

test('work beyond the time limit is abandoned', async () => {
  await expect(withinSeconds(0.01, never)).rejects.toThrow('has not answered within 0.01 seconds');
});

test('the longest time limit does not expire at once', async () => {
  const late = new Promise((resolve) => setTimeout(() => resolve('late'), 20));
  await expect(withinSeconds(2147483647, late)).resolves.toBe('late');
});
