import { expect, test } from 'vitest';
import { applyJsonPatch } from './json-patch.ts';

const document = { a: { b: [1, 2, 3], 'x/y': 1, 'm~n': 2 }, c: 'text' };

test.each([
  ['add to an object', { op: 'add', path: '/d', value: { e: 1 } }, { ...document, d: { e: 1 } }],
  ['add into a list', { op: 'add', path: '/a/b/1', value: 9 }, { ...document, a: { ...document.a, b: [1, 9, 2, 3] } }],
  ['append to a list', { op: 'add', path: '/a/b/-', value: 4 }, { ...document, a: { ...document.a, b: [1, 2, 3, 4] } }],
  ['remove', { op: 'remove', path: '/a' }, { c: 'text' }],
  ['remove from a list', { op: 'remove', path: '/a/b/0' }, { ...document, a: { ...document.a, b: [2, 3] } }],
  ['replace', { op: 'replace', path: '/c', value: null }, { ...document, c: null }],
  ['escaped names', { op: 'replace', path: '/a/x~1y', value: 5 }, { ...document, a: { ...document.a, 'x/y': 5 } }],
  ['copy', { op: 'copy', from: '/a/b', path: '/c' }, { ...document, c: [1, 2, 3] }],
  ['move', { op: 'move', from: '/c', path: '/a/m~0n' }, { a: { ...document.a, 'm~n': 'text' } }],
  ['test', { op: 'test', path: '/a/b', value: [1, 2, 3] }, document],
  ['the whole document', { op: 'replace', path: '', value: [] }, []],
])('applies an operation: %s', (_name, operation, expected) => {
  const before = structuredClone(document);
  expect(applyJsonPatch(document, [operation])).toEqual(expected);
  expect(document).toEqual(before);
});

test.each([
  [{}],
  ['add'],
  [[null]],
  [[{ op: 'add', path: '/c' }]],
  [[{ op: 'add', path: 'c', value: 1 }]],
  [[{ op: 'add', path: '/none/deeper', value: 1 }]],
  [[{ op: 'add', path: '/c/deeper', value: 1 }]],
  [[{ op: 'add', path: '/a/b/5', value: 1 }]],
  [[{ op: 'add', path: '/a/b/01', value: 1 }]],
  [[{ op: 'remove', path: '/a/b/3' }]],
  [[{ op: 'remove', path: '/a/b/length' }]],
  [[{ op: 'replace', path: '/none', value: 1 }]],
  [[{ op: 'move', from: '/a', path: '/a/b/0' }]],
  [[{ op: 'test', path: '/c', value: 'other' }]],
  [[{ op: 'merge', path: '/c', value: 1 }]],
])('refuses a patch: %j', (patch) => {
  expect(() => applyJsonPatch(document, patch)).toThrow(RangeError);
});

test('sets no prototype', () => {
  const patched = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]);
  expect([Object.keys(patched as object), Object.getPrototypeOf(patched)]).toEqual([['__proto__'], Object.prototype]);
  expect(() => applyJsonPatch({}, [{ op: 'add', path: '/constructor/prototype/polluted', value: 1 }])).toThrow();
});
