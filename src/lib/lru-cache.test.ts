import { expect, test } from 'vitest';
import { createLruCache } from './lru-cache.ts';

test('the LRU cache evicts the least recently used entry', () => {
  const recent = createLruCache<number>(4);
  recent.set('a', 1);
  for (const key of ['b', 'c', 'd', 'e', 'f']) {
    recent.set(key, 2);
    expect(recent.get('a')).toBe(1);
  }
  expect(recent.get('b')).toBeUndefined();
  expect(recent.get('f')).toBe(2);
});

test('the LRU cache never exceeds its limit', () => {
  const recent = createLruCache<number>(10);
  const keys = Array.from({ length: 100 }, (_, index) => `key ${index}`);
  for (const key of keys) recent.set(key, 1);
  const kept = keys.filter((key) => recent.get(key) !== undefined);
  expect(kept.length).toBeLessThanOrEqual(10);
  expect(kept.slice(-5)).toEqual(keys.slice(-5));
});

test('setting a key again replaces its value and its weight', () => {
  const recent = createLruCache<string>(20, (_key, value) => value.length);
  recent.set('a', 'eight...');
  recent.set('a', 'two');
  recent.set('b', 'seven..');
  expect(recent.get('a')).toBe('two');
  expect(recent.get('b')).toBe('seven..');
});

test('the LRU cache does not store a value over half of its limit, and drops the old value of that key', () => {
  const recent = createLruCache<string>(20, (_key, value) => value.length);
  recent.set('a', '1234');
  recent.set('b', '1234');
  recent.set('a', '12345678901');
  expect(recent.get('a')).toBeUndefined();
  expect(recent.get('b')).toBe('1234');
});

test('names of built-in properties are ordinary keys', () => {
  const recent = createLruCache<number>(2);
  expect(recent.get('__proto__')).toBeUndefined();
  expect(recent.get('constructor')).toBeUndefined();
});
