import { expect, test } from 'vitest';
import { memoize, memoizeWeakly } from './memoize.ts';

test('the same argument is computed once while it is in the cache, null and undefined too', () => {
  const calls: string[] = [];
  const read = memoize(4, (key: string) => {
    calls.push(key);
    return key === 'nothing' ? null : key.length;
  });
  expect([read('one'), read('one'), read('nothing'), read('nothing')]).toEqual([3, 3, null, null]);
  expect(calls).toEqual(['one', 'nothing']);
  for (const key of ['a', 'b', 'c', 'd']) read(key);
  read('one');
  expect(calls.filter((key) => key === 'one')).toHaveLength(2);
});

test('a call that throws is not cached', () => {
  let fails = true;
  const read = memoize(2, (_: string) => {
    if (fails) throw new Error('not now');
    return 'read';
  });
  expect(() => read('a')).toThrow('not now');
  fails = false;
  expect(read('a')).toBe('read');
});

test('a function of an object is computed once for each object', () => {
  let calls = 0;
  const read = memoizeWeakly(({ name }: { name: string }) => {
    calls += 1;
    return name;
  });
  const one = { name: 'one' };
  expect([read(one), read(one), read({ name: 'one' })]).toEqual(['one', 'one', 'one']);
  expect(calls).toBe(2);
});
