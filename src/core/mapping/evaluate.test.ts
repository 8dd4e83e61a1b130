import { expect, test } from 'vitest';
import { createSandbox } from '../../platform/sandbox/sandbox.ts';
import { evaluateMapping, MappingFailed, mergeMappings } from './evaluate.ts';

const sandbox = createSandbox();

test('a mapping is given its globals and gives its value', () => {
  expect(evaluateMapping(sandbox, 'return {name: info.title}', { info: { title: 'Ada' } })).toEqual({ name: 'Ada' });
});

test('a mapping that fails says so with its expression, ready to be recorded', () => {
  const expression = 'return info.nothing.here';
  const failure = (() => {
    try {
      return evaluateMapping(sandbox, expression, { info: {} });
    } catch (error) {
      return error;
    }
  })();
  expect(failure).toBeInstanceOf(MappingFailed);
  expect((failure as MappingFailed).event()).toEqual({
    action: 'property_mapping_exception',
    app: 'svc_core',
    context: { expression, message: expect.stringContaining('TypeError') },
  });
});

test('mappings are merged over a base in the order of their names', () => {
  const mappings = [
    { name: 'b', expression: 'return {username: "second", groups: ["b", "a"], attributes: {b: 2}}' },
    { name: 'a', expression: 'return {username: "first", groups: ["a"], attributes: {a: 1}}' },
    { name: 'c', expression: 'return null' },
  ];
  expect(mergeMappings(sandbox, mappings, {}, { path: 'users', attributes: { base: true } }).value).toEqual({
    path: 'users',
    username: 'second',
    groups: ['a', 'b'],
    attributes: { base: true, a: 1, b: 2 },
  });
});

test.each(['return 5', 'return ["a"]', 'return "text"'])(
  'a mapping with %s gives nothing that could be merged',
  (expression) => {
    expect(() => mergeMappings(sandbox, [{ name: 'odd', expression }], {})).toThrow('"odd" must return an object');
  },
);
