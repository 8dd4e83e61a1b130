import { expect, test } from 'vitest';
import { createRecentlyUsed } from './recently-used.ts';

test('what was used longest ago is forgotten first', () => {
  const recent = createRecentlyUsed<number>(2);
  recent.set('a', 1);
  recent.set('b', 2);
  expect(recent.get('a')).toBe(1);
  recent.set('c', 3);
  expect(recent.get('b')).toBeUndefined();
  expect(recent.get('a')).toBe(1);
  expect(recent.get('c')).toBe(3);
});

test('setting a key again replaces its value and its weight', () => {
  const recent = createRecentlyUsed<string>(10, (_key, value) => value.length);
  recent.set('a', 'eight...');
  recent.set('a', 'two');
  recent.set('b', 'seven..');
  expect(recent.get('a')).toBe('two');
  expect(recent.get('b')).toBe('seven..');
});

test('heavy entries push out as many others as they need, and too heavy ones are not kept', () => {
  const recent = createRecentlyUsed<string>(10, (_key, value) => value.length);
  recent.set('a', '1234');
  recent.set('b', '1234');
  recent.set('c', '123456');
  expect(recent.get('a')).toBeUndefined();
  expect(recent.get('b')).toBe('1234');
  expect(recent.get('c')).toBe('123456');
  recent.set('d', '12345678901');
  expect(recent.get('d')).toBeUndefined();
  expect(recent.get('b')).toBe('1234');
});

test('names of built-in properties are ordinary keys', () => {
  const recent = createRecentlyUsed<number>(2);
  expect(recent.get('__proto__')).toBeUndefined();
  expect(recent.get('constructor')).toBeUndefined();
});
