import { expect, test } from 'vitest';
import { chunksOf } from './chunks.ts';

test.each([
  [[], 2, []],
  [[1, 2], 2, [[1, 2]]],
  [[1, 2, 3, 4, 5], 2, [[1, 2], [3, 4], [5]]],
])('%j is split into lists of %i', (values: number[], size, expected) => {
  expect(chunksOf(values, size)).toEqual(expected);
});
