import { expect, test } from 'vitest';
import { orderedUuid, randomText, randomToken, randomUuid } from './random.ts';

test('the text has the length asked for and only letters and digits', () => {
  expect(randomText(0)).toBe('');
  expect(randomText(64)).toMatch(/^[A-Za-z0-9]{64}$/);
});

test('no two texts are the same', () => {
  const texts = new Set(Array.from({ length: 1000 }, () => randomText(20)));
  expect(texts.size).toBe(1000);
});

test('every character of the alphabet is as likely as the others', () => {
  // A byte taken modulo 200 would give each of the first 56 twice as often as the rest.
  const alphabet = Array.from({ length: 200 }, (_, index) => String.fromCharCode(0x4e00 + index)).join('');
  const draws = 200_000;
  const text = randomText(draws, alphabet);
  const firstShare = [...text].filter((character) => alphabet.indexOf(character) < 56).length / draws;
  expect(firstShare).toBeGreaterThan(0.26);
  expect(firstShare).toBeLessThan(0.3);
  expect(new Set(text).size).toBe(200);
});

test('characters outside the basic plane are kept whole', () => {
  expect(randomText(50, '😀😁')).toMatch(/^[😀😁]{50}$/u);
});

test.each(['', 'a', 'aab'])('the alphabet %j is refused', (alphabet) => {
  expect(() => randomText(4, alphabet)).toThrow(RangeError);
});

test('a token is 43 characters of which hardly any is foreseeable', () => {
  const tokens = Array.from({ length: 2000 }, randomToken);
  expect(new Set(tokens).size).toBe(2000);
  for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  const bitsAt = (position: number) => Math.log2(new Set(tokens.map((token) => token[position])).size);
  const bits = Array.from({ length: 43 }, (_, position) => bitsAt(position)).reduce((sum, each) => sum + each);
  expect(bits).toBeGreaterThan(240);
});

test('a uuid is random, of version 4', () => {
  expect(randomUuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(randomUuid()).not.toBe(randomUuid());
});

test('an ordered uuid is of version 7, begins with the time and is random for the rest', () => {
  const before = Date.now();
  const uuids = Array.from({ length: 1000 }, orderedUuid);
  for (const uuid of uuids) {
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const time = Number.parseInt(uuid.replace('-', '').slice(0, 12), 16);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now());
  }
  expect(new Set(uuids.map((uuid) => uuid.slice(14))).size).toBe(1000);
  for (const at of [15, 19, 20, 24, 35]) expect(new Set(uuids.map((uuid) => uuid[at])).size).toBeGreaterThan(3);
});
