import { expect, test } from 'vitest';
import { copyJson, isSameJson } from './json.ts';

test('a JSON copy is equal and shares no objects', () => {
  const value = { text: 'a', none: null, list: [1, { deep: [true] }], nested: { empty: {}, more: { last: 0 } } };
  const copy = copyJson(value);
  expect(copy).toEqual(value);
  (copy.list[1] as { deep: boolean[] }).deep.push(false);
  copy.nested.more.last = 1;
  expect(value.list[1]).toEqual({ deep: [true] });
  expect(value.nested.more.last).toBe(0);
});

test('a JSON copy keeps a member called __proto__ as an ordinary one', () => {
  const value = JSON.parse('{"__proto__": {"isAdmin": true}}');
  const copy = copyJson(value);
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"isAdmin":true}}');
  expect(copy.isAdmin).toBeUndefined();
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});

test.each([
  [
    { a: [1, { b: null }], c: {} },
    { c: {}, a: [1, { b: null }] },
  ],
  [[], []],
  ['a', 'a'],
  [null, null],
])('as JSON, %j is the same as %j', (one, other) => {
  expect(isSameJson(one, other)).toBe(true);
});

test.each([
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { b: 1 }],
  [{ a: 1 }, { a: 1, b: 2 }],
  [{ a: 1, b: 2 }, { a: 1 }],
  [{}, { toString: 1 }],
  [{ toString: 1 }, {}],
  [[], {}],
  [
    [1, 2],
    [2, 1],
  ],
  [{ a: { b: [1] } }, { a: { b: [2] } }],
  [null, {}],
  [0, '0'],
])('as JSON, %j is not the same as %j', (one, other) => {
  expect(isSameJson(one, other)).toBe(false);
});
