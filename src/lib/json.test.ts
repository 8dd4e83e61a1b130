import { expect, test } from 'vitest';
import { copyJson } from './json.ts';

test('a copy has everything, and shares nothing', () => {
  const value = { text: 'a', none: null, list: [1, { deep: [true] }], nested: { empty: {}, more: { last: 0 } } };
  const copy = copyJson(value);
  expect(copy).toEqual(value);
  (copy.list[1] as { deep: boolean[] }).deep.push(false);
  copy.nested.more.last = 1;
  expect(value.list[1]).toEqual({ deep: [true] });
  expect(value.nested.more.last).toBe(0);
});

test('a member that is called like the prototype is one like any other', () => {
  const value = JSON.parse('{"__proto__": {"isAdmin": true}}');
  const copy = copyJson(value);
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"isAdmin":true}}');
  expect(copy.isAdmin).toBeUndefined();
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});
