import { expect, test } from 'vitest';
import { createSandbox } from './sandbox.ts';

const sandbox = createSandbox();

function expectStillWorking(): void {
  expect(sandbox.run('return [1 + 1, typeof a, typeof s]', { globals: {}, timeMs: 5000 })).toMatchObject({
    ok: true,
    value: [2, 'undefined', 'undefined'],
  });
}

test.each([
  'while (true) {}',
  'for (;;) { try { while (true); } catch {} finally { continue } }',
  'return new Proxy({}, { ownKeys() { while (true); } })',
  'return { get a() { while (true); } }',
  'return { toJSON() { while (true); } }',
  'const e = new Error("x"); Object.defineProperty(e, "message", { get() { while (true); } }); throw e',
  'const a = function* () { for (;;) yield 1 }; for (const s of a());',
  'for (;;) log("x")',
  // Catastrophic regular expressions.
  'return /(a+)+$/.test("a".repeat(40) + "b")',
  'return /^(a|a)*$/.test("a".repeat(60) + "b")',
  'return regex_match("a".repeat(60) + "b", "(a|aa)+$")',
  'return "a".repeat(100000).replace(/(.*)*x/, "")',
  // Loops inside QuickJS that its own interrupt handler never sees.
  'return Array(3e8).join().length',
  'return Array.prototype.reverse.call({ length: 1e15 })',
  'return Array(4294967295).sort()',
  'return [].concat(Array(4294967295)).length',
  'return String.raw({ raw: { length: 1e15 } })',
  'return "a".repeat(4e6).indexOf("a".repeat(2e6) + "b")',
  'return (2n ** 1000000n).toString().length',
  'const a = new Uint8Array(12e6); for (;;) a.fill(1)',
])('the time limit stops %j', (source) => {
  const started = process.threadCpuUsage();
  const evaluation = sandbox.run(source, { globals: {}, timeMs: 30 });
  expect(evaluation).toMatchObject({ ok: false, error: 'The expression took longer than 30 ms.' });
  expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(1000);
  expectStillWorking();
});

test('the default limits are 50 ms and 16 MiB', () => {
  expect(sandbox.run('while (true);', { globals: {} })).toMatchObject({
    error: 'The expression took longer than 50 ms.',
  });
  expect(sandbox.run('return new Uint8Array(17 * 1024 * 1024).length', { globals: {}, timeMs: 5000 })).toMatchObject({
    error: 'The expression used more than 16.0 MiB of memory.',
  });
  expect(sandbox.run('return new Uint8Array(15 * 1024 * 1024).length', { globals: {}, timeMs: 5000 })).toMatchObject({
    ok: true,
  });
});

test.each([
  'const a = []; for (;;) a.push("x".repeat(1e5) + a.length)',
  'const a = []; for (;;) a.push({})',
  'const a = []; for (;;) a.push(new Uint8Array(1e6))',
  'const a = []; for (;;) a.push(new ArrayBuffer(1e6))',
  'const a = new ArrayBuffer(0, { maxByteLength: 2 ** 30 }); a.resize(2 ** 29)',
  'const a = {}; for (let i = 0; ; i++) a["key" + i] = i',
  'const a = new Map(); for (let i = 0; ; i++) a.set(i, i)',
  'const a = []; for (let i = 0; ; i++) a.push(Symbol.for("s" + i))',
  'const a = []; for (let i = 0; ; i++) a.push(() => i)',
  'const a = []; for (let i = 1n; ; i++) a.push(i << 100000n)',
  'return Array(1e6).fill("x").join("y".repeat(100))',
  'return JSON.stringify("\\u0001".repeat(3e6))',
])('the memory limit stops %j', (source) => {
  const evaluation = sandbox.run(source, { globals: {}, timeMs: 10_000, memoryBytes: 4 * 1024 * 1024 });
  expect(evaluation).toMatchObject({ ok: false, error: 'The expression used more than 4.0 MiB of memory.' });
  expectStillWorking();
});

test.each([
  ['let s = "x"; for (;;) s += s', 'string too long'],
  ['return "x".repeat(2 ** 30)', 'invalid string length'],
  ['return new Float64Array(2 ** 28)', 'invalid array buffer length'],
  ['return (function f() { return f() + 1 })()', 'Maximum call stack size exceeded'],
  ['const a = { get a() { return this.a } }; return a.a', 'Maximum call stack size exceeded'],
  ['return JSON.parse("[".repeat(50000))', 'Maximum call stack size exceeded'],
  ['let a = []; for (let i = 0; i < 20000; i++) a = [a]; return a', 'Maximum call stack size exceeded'],
  ['return 2n ** 1000000n * 2n ** 1000000n', 'too large'],
  ['return "x".repeat(1000001)', 'the result is too large'],
  ['return { get a() { throw new Error("thrown by a getter") } }', 'thrown by a getter'],
  ['const a = []; a.push(a); return a', 'circular reference'],
  ['return () => 1', 'returned a function'],
  ['return class {}', 'returned a function'],
  ['return Symbol("s")', 'returned a symbol'],
  ['return 1n', 'returned a bigint'],
  ['return { a: 1n }', 'BigInt'],
  ['return Promise.resolve(True)', 'returned a promise'],
  ['return (async () => True)()', 'returned a promise'],
  ['return new Promise(() => {})', 'returned a promise'],
  ['throw { toString() { throw 1 }, toJSON() { throw 2 } }', 'threw without words'],
  ['throw new Error("x".repeat(1e6))', 'xxx'],
])('the expression %j costs one evaluation', (source, error) => {
  const evaluation = sandbox.run(source, { globals: {}, timeMs: 5000 });
  expect(evaluation).toMatchObject({ ok: false, error: expect.stringContaining(error) });
  expect('error' in evaluation && evaluation.error.length).toBeLessThan(1100);
  expectStillWorking();
});

test('an expression that survives its own memory bomb has cost only its own evaluation', () => {
  const source =
    'let a = []; try { for (;;) a.push("x".repeat(1e6) + a.length) } catch (e) { a = null; return e.message }';
  expect(sandbox.run(source, { globals: {}, timeMs: 10_000 })).toMatchObject({ ok: true, value: 'out of memory' });
  expectStillWorking();
});

test('a caller can set narrower and wider limits for one evaluation', () => {
  const source = 'return new Uint8Array(megabytes * 1024 * 1024).length > 0';
  const tryIt = (megabytes: number, memoryBytes: number) =>
    sandbox.run(source, { globals: { megabytes }, memoryBytes, timeMs: 5000 }).ok;
  expect(tryIt(1, 1024 * 1024)).toBe(false);
  expect(tryIt(40, 64 * 1024 * 1024)).toBe(true);
  expect(tryIt(40, 16 * 1024 * 1024)).toBe(false);
  expect(tryIt(1, 16 * 1024 * 1024)).toBe(true);
});

test('values that are too large for the memory limit are refused, and ordinary ones work again', () => {
  const globals = { huge: 'é'.repeat(20_000_000) };
  expect(sandbox.run('return huge.length', { globals, timeMs: 5000 })).toMatchObject({
    ok: false,
    error: 'The expression used more than 16.0 MiB of memory.',
  });
  expectStillWorking();
});

test('many calls of the host with large answers fit into the memory limit', () => {
  const text = 'x'.repeat(200_000);
  const source = 'let n = 0; for (let i = 0; i < 100; i++) n += fetch_text(text).length; return n';
  const functions = { fetch_text: () => text };
  const evaluation = sandbox.run(source, { globals: { text }, functions, timeMs: 20_000 });
  expect(evaluation).toMatchObject({ ok: true, value: 20_000_000 });
});
