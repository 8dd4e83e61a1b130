import { expect, test } from 'vitest';
import { toTimestamp } from '../../../platform/clock.ts';
import { newTotpSecret, stepOfCode, totpUrl } from './totp-code.ts';

// RFC 6238, appendix B: the text 12345678901234567890 in base 32.
const key = { secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', digits: 8 };
const at = (seconds: number) => toTimestamp(seconds * 1000);

test.each([
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
])('knows the code of RFC 6238 at %d seconds, one step around it and no further', async (seconds, code) => {
  const step = Math.floor(seconds / 30);
  expect(await stepOfCode(key, code, at(seconds))).toBe(step);
  expect(await stepOfCode(key, code, at(seconds - 30))).toBe(step);
  expect(await stepOfCode(key, code, at(seconds + 30))).toBe(step);
  expect(await stepOfCode(key, code, at(seconds - 60))).toBeNull();
  expect(await stepOfCode(key, code, at(seconds + 60))).toBeNull();
});

test.each(['', '287082', '094287082', '9428708', '94287082 ', '-4287082', '９4287082'])(
  '“%s” is no code',
  async (code) => {
    expect(await stepOfCode(key, code, at(59))).toBeNull();
  },
);

test('secrets have 160 bits and are never the same', () => {
  const secrets = Array.from({ length: 100 }, newTotpSecret);
  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
});

test('the address names issuer and user, whatever they are called', async () => {
  const url = new URL(await totpUrl({ ...key, digits: 6 }, 'A & B: Co', 'ada/lovelace?x=1'));
  expect(url.searchParams.get('issuer')).toBe('A & B: Co');
  expect(url.searchParams.get('secret')).toBe(key.secret);
  expect(url.searchParams.has('x')).toBe(false);
});
