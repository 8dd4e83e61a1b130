import { expect, test } from 'vitest';
import { deepMerge } from './deep-merge.ts';

test('a deep merge prefers the second value and merges objects by member', () => {
  expect(deepMerge({ a: 1, b: { c: 1, d: 2 } }, { a: 2, b: { d: 3, e: 4 } })).toEqual({
    a: 2,
    b: { c: 1, d: 3, e: 4 },
  });
});

test('a deep merge joins lists without duplicates', () => {
  expect(deepMerge({ groups: ['a', { id: 1 }] }, { groups: ['b', 'a', { id: 1 }] })).toEqual({
    groups: ['a', { id: 1 }, 'b'],
  });
});

test('a deep merge can replace an object by text', () => {
  expect(deepMerge({ a: { b: 1 } }, { a: 'x' })).toEqual({ a: 'x' });
});

test('a deep merge of __proto__ changes no prototype', () => {
  const merged = deepMerge({}, JSON.parse('{"__proto__": {"is_superuser": true}}'));
  expect((merged as { is_superuser?: boolean }).is_superuser).toBeUndefined();
  expect(({} as { is_superuser?: boolean }).is_superuser).toBeUndefined();
});
