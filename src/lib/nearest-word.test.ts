import { expect, test } from 'vitest';
import { nearestWord } from './nearest-word.ts';

const commands = ['serve', 'migrate', 'backup', 'restore', 'recover-admin', 'check', 'demo'];

test.each([
  ['serv', 'serve'],
  ['migarte', 'migrate'],
  ['recover_admin', 'recover-admin'],
  ['demo', 'demo'],
  ['bakcup', 'backup'],
])('the word %s most likely means %s', (word, meant) => {
  expect(nearestWord(word, commands)).toBe(meant);
});

test.each([['launch'], [''], ['completely-different']])('the word "%s" is near to no other', (word) => {
  expect(nearestWord(word, commands)).toBeNull();
});

test('a word too long to be mistyped is compared with none', () => {
  expect(nearestWord('a'.repeat(65), ['a'.repeat(64)])).toBeNull();
  expect(nearestWord(`${'a'.repeat(63)}b`, ['a'.repeat(64)])).toBe('a'.repeat(64));
});
