import { expect, test } from 'vitest';
import { memoizeByObject } from './memoize.ts';

test('is made once of each object, however alike they are', () => {
  let count = 0;
  const made = memoizeByObject((key: { readonly name: string }) => {
    count += 1;
    return `${key.name} ${count}`;
  });
  const [one, other] = [{ name: 'a' }, { name: 'a' }];
  expect([made(one), made(other), made(one)]).toEqual(['a 1', 'a 2', 'a 1']);
});

test('what could not be made is tried again', () => {
  let fails = true;
  const made = memoizeByObject((_: object) => {
    if (fails) throw new Error('not now');
    return 'made';
  });
  const key = {};
  expect(() => made(key)).toThrow('not now');
  fails = false;
  expect(made(key)).toBe('made');
});
