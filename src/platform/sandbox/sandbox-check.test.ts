import { expect, test } from 'vitest';
import { createSandbox } from './sandbox.ts';

const sandbox = createSandbox();

test.each([
  '',
  'return True',
  'return request.user.nobody.knows.this',
  'const a = 1;\nreturn a // at the end',
  'return { a: 1 }.a',
  'async function f() { await 1 }\nreturn None',
  'while (true) {}',
  'throw new Error("not run")',
  'return `}` + /[)}]/.source',
])('the expression %j is well formed, and is not run to find out', (source) => {
  expect(sandbox.check(source)).toBeNull();
});

test.each([
  ['let x = ;', 1, "unexpected token in expression: ';'"],
  ['const a = 1;\nconst b = 2;\nreturn a b', 3, "expecting ';'"],
  ['if (a) {\n  return 1', 2, 'a bracket is missing or too many'],
  ['return [1,\n2', 2, 'a bracket is missing or too many'],
  ['return "open', 1, 'unexpected end of string'],
  ['let a = 1;\nlet a = 2;', 2, 'invalid redefinition'],
  ['return 1\n}', 2, 'a bracket is missing or too many'],
  ['import fs from "node:fs"', 1, ''],
  ['return True if user else False', 1, "expecting ';'"],
  ['/* open', 1, ''],
  ['return /(/', 1, "expecting ')'"],
])('the expression %j is refused at line %d', (source, line, message) => {
  expect(sandbox.check(source)).toEqual({ line, message: expect.stringContaining(message) });
});

test.each([
  'return 1 }), (function () { return 2',
  'return 1 }, function () { return 2',
  'return 1 } function other() { return 2',
  '} {',
  '})(); (function () {',
])('the expression %j would leave its function and is refused', (source) => {
  expect(sandbox.check(source)).not.toBeNull();
  expect(sandbox.run(source, { globals: {} }).ok).toBe(false);
});

test('an expression longer than 65536 characters is refused', () => {
  expect(sandbox.check(`//${'x'.repeat(65_534)}`)).toBeNull();
  expect(sandbox.check(`//${'x'.repeat(65_535)}`)).toEqual({
    message: 'the expression is longer than 65536 characters',
    line: 1,
  });
});

test.each([
  ['parentheses', `return ${'('.repeat(30_000)}${')'.repeat(30_000)}`],
  ['brackets', `return ${'['.repeat(30_000)}${']'.repeat(30_000)}`],
  ['functions', 'x=>'.repeat(20_000)],
  ['templates', '`$\x7b'.repeat(20_000)],
  ['blocks', '{'.repeat(60_000)],
  ['operators', `return ${'!'.repeat(60_000)}1`],
  ['parentheses around much', `return ${'('.repeat(200)}${'1+'.repeat(30_000)}1${')'.repeat(200)}`],
])('deeply nested %s cost one check', (_name, source) => {
  const started = process.threadCpuUsage();
  sandbox.check(source);
  expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(1500);
  expect(sandbox.check('return True')).toBeNull();
});

test('a sandbox that remembers next to nothing still gives the right answers', () => {
  const forgetful = createSandbox({ cacheBytes: 400 });
  for (const round of [1, 2]) {
    for (const number of [1, 2, 3, 4]) {
      const evaluation = forgetful.run(`return ${number} * factor`, { globals: { factor: round }, timeMs: 5000 });
      expect(evaluation).toMatchObject({ ok: true, value: number * round });
    }
    expect(forgetful.check('return (')).not.toBeNull();
  }
});
