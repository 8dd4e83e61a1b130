import { expect, test } from 'vitest';
import { withinSeconds } from './within-seconds.ts';

const never = new Promise<string>(() => {});

test('work that answers in time answers', async () => {
  await expect(withinSeconds(5, Promise.resolve('done'))).resolves.toBe('done');
  await expect(withinSeconds(0, Promise.resolve('done'))).resolves.toBe('done');
});

test('work that fails, fails as it did', async () => {
  await expect(withinSeconds(5, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

test('work that does not answer is given up', async () => {
  await expect(withinSeconds(0.01, never)).rejects.toThrow('has not answered within 0.01 seconds');
});

test('the longest limit does not run out at once', async () => {
  const late = new Promise((resolve) => setTimeout(() => resolve('late'), 20));
  await expect(withinSeconds(2147483647, late)).resolves.toBe('late');
});
