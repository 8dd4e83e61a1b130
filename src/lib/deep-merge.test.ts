import { expect, test } from 'vitest';
import { deepMerge, deepMergeAll } from './deep-merge.ts';

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

test('merging many objects keeps the order of lists and changes none of the objects', () => {
  const objects = [
    { a: [1], b: { c: 1 } },
    { a: [2, 1], b: { d: [1] } },
    { a: [3], b: { d: [2] } },
    { b: 'x' },
    { b: { e: 1 } },
  ];
  const before = structuredClone(objects);
  expect(deepMergeAll(objects)).toEqual({ a: [1, 2, 3], b: { e: 1 } });
  expect(deepMergeAll(objects.slice(0, 3))).toEqual({ a: [1, 2, 3], b: { c: 1, d: [1, 2] } });
  expect(objects).toEqual(before);
});

// Took 1.2 s, as all that was merged so far was copied for each object.
test('merging thousands of objects takes time linear in their number', () => {
  const objects = Array.from({ length: 8_000 }, (_, at) => ({ [`k${at}`]: at, list: [at], inner: { [`k${at}`]: at } }));
  const before = process.threadCpuUsage();
  expect(deepMergeAll(objects).list).toHaveLength(8_000);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(0.5);
});
