import { expect, test } from 'vitest';
import { deepMerge } from './deep-merge.ts';

test('the second wins, objects are merged member by member', () => {
  expect(deepMerge({ a: 1, b: { c: 1, d: 2 } }, { a: 2, b: { d: 3, e: 4 } })).toEqual({
    a: 2,
    b: { c: 1, d: 3, e: 4 },
  });
});

test('lists are joined without repeating, whatever they hold', () => {
  expect(deepMerge({ groups: ['a', { id: 1 }] }, { groups: ['b', 'a', { id: 1 }] })).toEqual({
    groups: ['a', { id: 1 }, 'b'],
  });
});

test('what was an object may become a text', () => {
  expect(deepMerge({ a: { b: 1 } }, { a: 'x' })).toEqual({ a: 'x' });
});

test('a member called __proto__ changes no prototype', () => {
  const merged = deepMerge({}, JSON.parse('{"__proto__": {"is_superuser": true}}'));
  expect((merged as { is_superuser?: boolean }).is_superuser).toBeUndefined();
  expect(({} as { is_superuser?: boolean }).is_superuser).toBeUndefined();
});
