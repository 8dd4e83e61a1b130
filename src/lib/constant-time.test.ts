import { expect, test } from 'vitest';
import { equalInConstantTime } from './constant-time.ts';

test.each([
  ['', '', true],
  ['secret', 'secret', true],
  ['sécret', 'sécret', true],
  ['secret', 'secreT', false],
  ['secret', 'Secret', false],
  ['secret', 'secret ', false],
  ['secret', '', false],
  ['é', 'e\u0301', false],
  ['\ud800', '\ud801', false],
  ['\ud800', '\ufffd', false],
])('%j and %j are compared as %s', (a, b, expected) => {
  expect(equalInConstantTime(a, b)).toBe(expected);
  expect(equalInConstantTime(b, a)).toBe(expected);
});
