import { afterEach, expect, test } from 'vitest';
import { createSandbox } from './sandbox.ts';

const sandbox = createSandbox();
const timeMs = 5000;

test.each([
  ['globalThis.left = 1', 'typeof left'],
  ['left = 1', 'typeof left'],
  ['var left = 1', 'typeof left'],
  ['Object.prototype.left = 1', 'typeof ({}).left'],
  ['Array.prototype.includes = () => true', '[1].includes(2)'],
  ['String.prototype.endsWith = () => true', '"eve@evil.example".endsWith("@example.org")'],
  ['JSON.parse = JSON.stringify = () => "{}"', 'JSON.stringify(1)'],
  ['regex_match = () => true', 'regex_match("x", "y")'],
  ['True = false', 'True'],
  ['None = 1', 'None'],
  ['undefined_marker = Symbol.for("shared"); Symbol.for("shared").constructor.left = 1', 'typeof Symbol.left'],
  ['Object.freeze(Object.prototype); Object.freeze(globalThis)', 'try_it = 1, ({ a: 1 }).a = 2'],
  ['Object.defineProperty(globalThis, "request", { get() { return "forged" } })', 'request.user'],
  ['delete globalThis.JSON; delete globalThis.Date', 'typeof JSON + typeof Date'],
  ['Date.now = () => 0', 'Date.now() > 1e12'],
  [
    'Error.prepareStackTrace = () => "forged"; Error.stackTraceLimit = 0',
    'new Error("x").stack.includes("expression")',
  ],
  ['/(left)/.exec("left")', 'RegExp.$1 + RegExp.lastMatch'],
  ['Promise.resolve().then(() => { globalThis.left = 1 })', 'typeof left'],
  ['(async () => { await null; globalThis.left = 1 })()', 'typeof left'],
  ['request.user = "eve"; context.shared = 1', 'request.user + typeof context.shared'],
])('nothing that the expression %j did is left for the next one', (pollute, probe) => {
  const globals = { request: { user: 'ada' }, context: {} };
  const pristine = createSandbox().run(`return ${probe}`, { globals, timeMs });
  expect(pristine.ok).toBe(true);
  for (const ending of ['; return True', '; throw new Error("x")', '; while (true);', '; (function f() { f() })()']) {
    sandbox.run(pollute + ending, { globals, timeMs: 10 });
    expect(sandbox.run(`return ${probe}`, { globals, timeMs })).toEqual(pristine);
  }
});

test('values, functions, messages and logs of one evaluation are unknown to the next', () => {
  const first = sandbox.run('message("m"); log("l"); return [secret, ask()]', {
    timeMs,
    globals: { secret: 'hunter2' },
    functions: { ask: () => 'answer' },
  });
  expect(first).toEqual({ ok: true, value: ['hunter2', 'answer'], isLasting: false, messages: ['m'], logs: ['l'] });
  const second = sandbox.run('return [typeof secret, typeof ask]', { globals: {}, timeMs });
  expect(second).toEqual({ ok: true, value: ['undefined', 'undefined'], isLasting: true, messages: [], logs: [] });
});

test('fresh memory holds no trace of what an earlier evaluation wrote there', () => {
  sandbox.run('const a = []; for (let i = 0; i < 100; i++) a.push("hunter2".repeat(1000) + i)', {
    globals: {},
    timeMs,
  });
  const source = `
    const found = [];
    for (let size = 16; size < 4000000; size *= 2) {
      if (new Uint8Array(size).some((byte) => byte !== 0)) found.push(size);
    }
    return found`;
  expect(sandbox.run(source, { globals: {}, timeMs })).toMatchObject({ ok: true, value: [] });
});

const markers = globalThis as { sandboxEscaped?: boolean };

afterEach(() => {
  delete markers.sandboxEscaped;
});

test.each([
  'return process.env',
  'return globalThis.process.env.PATH',
  'return require("node:fs").readFileSync("/etc/passwd", "utf8")',
  'return module.constructor._load("child_process")',
  'return constructor.constructor("return process")()',
  'return this.constructor.constructor("globalThis.sandboxEscaped = true; return process")()',
  'return (() => {}).constructor("return globalThis")().process.pid',
  'return (function* () {}).constructor("yield process")().next().value.pid',
  'return (async () => {}).constructor("return process")().pid',
  'return ask.constructor("return process")().pid',
  'return ask.constructor.constructor("return process")().pid',
  'try { ask({ get a() { throw 1 } }) } catch (e) { return e.constructor.constructor("return process")().pid }',
  'return request.constructor.constructor("return process")().pid',
  'return eval("process.pid")',
  'return (0, eval)("process.pid")',
  'return new Function("return process")().pid',
  'return Reflect.construct(Function, ["return process"])().pid',
  'return globalThis.setTimeout.name',
  'return setTimeout(() => {}, 0)',
  'return fetch("http://127.0.0.1")',
  'return new WebSocket("ws://127.0.0.1").url',
  'return WebAssembly.Module.name',
  'return Deno.env',
  'return new Worker("x").name',
  'return console.log("x")',
  'return std.getenv("PATH")',
  'return os.exec(["id"])',
  'return import.meta.url',
  'return import("node:fs")',
  'return new SharedArrayBuffer(8).byteLength',
  'return Atomics.wait.name',
  'return performance.now()',
  'return host("ask", "[]")',
])('there is no way out through %j', (source) => {
  const context = { globals: { request: {} }, functions: { ask: () => 1 }, timeMs };
  expect(sandbox.run(source, context)).toMatchObject({ ok: false });
  expect(markers.sandboxEscaped).toBeUndefined();
});

test('everything that an expression can name is known', () => {
  const source = 'return Object.getOwnPropertyNames(globalThis).sort().filter((name) => !/^[A-Z]/.test(name))';
  expect(sandbox.run(source, { globals: {}, timeMs })).toMatchObject({
    value: [
      ...[
        'decodeURI',
        'decodeURIComponent',
        'encodeURI',
        'encodeURIComponent',
        'escape',
        'eval',
        'globalThis',
        'ip_in',
      ],
      ...[
        'isFinite',
        'isNaN',
        'is_group_member',
        'list_flatten',
        'log',
        'message',
        'parseFloat',
        'parseInt',
        'regex_match',
      ],
      ...['regex_replace', 'slugify', 'undefined', 'unescape'],
    ],
  });
});

test('keys that are special in JavaScript are ordinary in values and results', () => {
  const globals = { given: JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}') };
  const evaluation = sandbox.run('return [typeof given.admin, given]', { globals, timeMs });
  expect(evaluation).toMatchObject({ ok: true });
  expect(JSON.stringify(evaluation.ok && evaluation.value)).toBe(
    '["undefined",{"__proto__":{"admin":true},"constructor":1}]',
  );
});
