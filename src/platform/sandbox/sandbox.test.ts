import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../lib/json.ts';
import { type Context, createSandbox } from './sandbox.ts';

const sandbox = createSandbox();

const request = {
  user: { username: 'ada', email: 'ada@example.org', groups: [{ name: 'staff' }, { name: 'admins' }], attributes: {} },
};

function run(source: string, context: Partial<Context> = {}) {
  return sandbox.run(source, { globals: {}, timeMs: 5000, ...context });
}

function valueGivenBy(source: string, context: Partial<Context> = {}): Json {
  const evaluation = run(source, context);
  if (!evaluation.ok) throw new Error(evaluation.error);
  return evaluation.value;
}

function errorOf(source: string, context: Partial<Context> = {}): string {
  const evaluation = run(source, context);
  if (evaluation.ok) throw new Error(`unexpected value ${JSON.stringify(evaluation.value)}`);
  return evaluation.error;
}

test('an expression is the body of a function that sees the given values', () => {
  expect(valueGivenBy('return request.user.username === "ada"', { globals: { request } })).toBe(true);
  expect(valueGivenBy('return request.user.groups.some(g => g.name === "guests")', { globals: { request } })).toBe(
    false,
  );
});

test('a global that is a function is computed only for expressions that name it', () => {
  let calls = 0;
  const globals = { place: () => ({ country: 'DE', calls: ++calls }) };
  expect(valueGivenBy('return 1', { globals })).toBe(1);
  expect(calls).toBe(0);
  expect(valueGivenBy('return place', { globals })).toEqual({ country: 'DE', calls: 1 });
});

test.each<[string, Json]>([
  ['return True', true],
  ['return False', false],
  ['return None', null],
  ['', null],
  ['// nothing but a remark', null],
  ['1 + 1', null],
  ['return undefined', null],
  ['return NaN', null],
  ['x = 5; return x * 2', 10],
  ['for (const n of [1, 2, 3]) {\n  if (n > 1) return n\n}', 2],
  ['return { a: [1, "zwei", null, { b: true }], f() {} }', { a: [1, 'zwei', null, { b: true }] }],
  ['return new Date(0)', '1970-01-01T00:00:00.000Z'],
  ['return new Date(2020, 0, 1).getTimezoneOffset()', 0],
  ['return Math.abs(Date.now() - now) < 60000', true],
  ['return "é😀\\u0000\\ud800".length', 5],
  ['return "é😀\\u0000"', 'é😀\u0000'],
  ['return [...new Set([1, 1, 2])]', [1, 2]],
  ['return /(?<year>\\d{4})/.exec("in 2024").groups.year', '2024'],
  ['return String([3, 1, 2].sort())', '1,2,3'],
  ['return { toJSON() { return undefined } }', null],
])('the expression %j gives %j', (source, value) => {
  expect(valueGivenBy(source, { globals: { now: Date.now() } })).toEqual(value);
});

test.each<[string, Json]>([
  ['regex_match("foo.example.org", "foo\\\\.")', true],
  ['regex_match("a foo", "foo")', false],
  ['regex_match("foo", "fo|x$")', true],
  ['regex_match("HELLO", /hel/i)', true],
  ['regex_match("xHELLO", /hel/gi)', false],
  ['regex_replace("aAb", /a/i, "-")', '--b'],
  ['regex_match(None, ".+")', false],
  ['regex_match(42, "^42$")', true],
  ['regex_replace("a1b22", "[0-9]+", "#")', 'a#b#'],
  ['regex_replace("Ada Lovelace", "(\\\\w+) (\\\\w+)", "$2, $1")', 'Lovelace, Ada'],
  ['regex_replace(None, "x", "y")', ''],
  ['list_flatten(["first", "second"])', 'first'],
  ['list_flatten([])', null],
  ['list_flatten("as it is")', 'as it is'],
  ['slugify("  Ünïcode & Co. -- Straße_1 ")', 'unicode-co-strae_1'],
  ['slugify("__x__")', 'x'],
  ['slugify(None)', ''],
  ['ip_in("10.1.2.3", "10.0.0.0/8")', true],
  ['ip_in("11.1.2.3", "10.0.0.0/8")', false],
  ['ip_in("::ffff:10.1.2.3", "10.0.0.0/8")', true],
  ['ip_in("fd00::1", ["10.0.0.0/8", "fd00::/8"])', true],
  ['ip_in("192.0.2.1", "192.0.2.1")', true],
])('the expression return %s gives %j', (call, value) => {
  expect(valueGivenBy(`return ${call}`)).toEqual(value);
});

test.each([
  ['ip_in("nonsense", "10.0.0.0/8")', 'nonsense is not an IP address'],
  ['ip_in(None, "10.0.0.0/8")', 'null is not an IP address'],
  ['ip_in("10.0.0.1", "10.0.0.0/64")', '"10.0.0.0/64" is not an address range'],
  ['regex_match("x", "(")', 'SyntaxError'],
])('the call %s in an expression is an error, not a guess', (call, error) => {
  expect(errorOf(`return ${call}`)).toContain(error);
});

test('any JSON goes in and comes out unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      const value = JSON.parse(JSON.stringify(json));
      expect(valueGivenBy('return given', { globals: { given: value } })).toEqual(value);
    }),
    { numRuns: 200 },
  );
});

test('values are copied in: what an expression does to them stays with it', () => {
  const globals = { request: structuredClone(request) };
  expect(valueGivenBy('request.user.username = "eve"; request = 1; return True', { globals })).toBe(true);
  expect(globals).toEqual({ request });
  expect(valueGivenBy('return request.user.username', { globals })).toBe('ada');
});

test('messages and logs are collected, also from an expression that fails or is stopped', () => {
  const said = 'message("no entry"); log("user", { id: 1 }, [2], undefined); log(3);';
  const notes = { messages: ['no entry'], logs: ['user {"id":1} [2] undefined', '3'] };
  expect(run(`${said} return True`)).toEqual({ ok: true, value: true, isLasting: true, ...notes });
  expect(run(`${said} throw new Error("x")`)).toMatchObject({ ok: false, ...notes });
  expect(run(`${said} while (true);`, { timeMs: 20 })).toMatchObject({ ok: false, ...notes });
});

test('messages and logs cannot grow without end', () => {
  const { messages, logs } = run('for (let i = 0; i < 500; i++) message(i); log("x".repeat(100000))');
  expect(messages).toHaveLength(100);
  expect(messages.at(-1)).toBe('99');
  expect(logs).toEqual(['x'.repeat(2000)]);
});

test('functions of the host take and give copies', () => {
  const calls: Json[][] = [];
  const functions = {
    find: (...args: Json[]) => {
      calls.push(args);
      return { found: args.length };
    },
  };
  expect(valueGivenBy('return find("ada", { a: [1] }, undefined, () => 1)', { functions })).toEqual({ found: 4 });
  expect(calls).toEqual([['ada', { a: [1] }, null, null]]);
  expect(errorOf('return find(1n)', { functions })).toContain('TypeError');
  expect(calls).toHaveLength(1);
});

test('what a function of the host throws can be caught, and tells its message only', () => {
  const functions = {
    fail: (): Json => {
      throw new TypeError('no such user');
    },
  };
  expect(errorOf('return fail()', { functions })).toBe('Error: no such user (near line 1)');
  const seen = valueGivenBy('try { fail() } catch (e) { return e.message + e.stack }', { functions }) as string;
  expect(seen).toContain('no such user');
  expect(seen).not.toMatch(/sandbox|\.ts|node:/);
});

test('an expression can lead to another one, but not without end', () => {
  const nested = (): Json =>
    valueGivenBy('return inner() + 1', { functions: { inner: () => valueGivenBy('return 40') } });
  expect(valueGivenBy('x = 1; return nested() + x', { functions: { nested } })).toBe(42);
  const endless = (): Json => valueGivenBy('return endless()', { functions: { endless } });
  expect(errorOf('return endless()', { functions: { endless } })).toContain('Expressions call each other too deeply.');
  expect(valueGivenBy('return 1')).toBe(1);
});

test('two evaluations do not draw the same random numbers', () => {
  const draw = () => valueGivenBy('return [Math.random(), Math.random()]') as number[];
  const numbers = [...draw(), ...draw()];
  expect(new Set(numbers).size).toBe(4);
  for (const number of numbers) expect(number >= 0 && number < 1).toBe(true);
});

test.each([
  ['throw new TypeError("bad")', 'TypeError: bad (near line 1)'],
  ['\n\nreturn unknown_name', 'ReferenceError: unknown_name is not defined (near line 3)'],
  ['const user = null;\nreturn user.name', "TypeError: cannot read property 'name' of null (near line 2)"],
  ['throw { code: 7 }', 'Uncaught {"code":7}'],
  ['throw null', 'Uncaught null'],
  ['return 1 2', "SyntaxError: expecting ';' (line 1)"],
])('the expression %j fails with words for its author', (source, error) => {
  expect(errorOf(source)).toBe(error);
});

test('many small evaluations of a known expression take well under a millisecond each', () => {
  const source = 'return request.user.username === "ada"';
  const started = process.threadCpuUsage();
  for (let index = 0; index < 500; index++) run(source, { globals: { request } });
  expect(process.threadCpuUsage(started).user / 1000 / 500).toBeLessThan(1);
});

test.each([
  ['return user.name;', true],
  ['return ip_in(user.ip, "192.0.2.0/24");', true],
  ['return Date.now();', false],
  ['return new Date().getTime();', false],
  ['return Math.random();', false],
  ['return ask();', false],
])('whether the expression %s would give the same again: %s', (source, isLasting) => {
  const globals = { user: { name: 'Ada', ip: '192.0.2.1' } };
  expect(sandbox.run(source, { globals, functions: { ask: () => 1 } })).toMatchObject({ ok: true, isLasting });
});

test.each([
  'return secret;',
  'return s\\u0065cret;',
  "return globalThis['sec' + 'ret'];",
  "return (function () { return this; })()['sec' + 'ret'];",
  "return Object.getOwnPropertyDescriptor(globalThis, ['s', 'ecret'].join('')).value;",
])('a global is there however an expression asks for it: %s', (source) => {
  expect(sandbox.run(source, { globals: { secret: 42 } })).toMatchObject({ ok: true, value: 42 });
});

test('a function is there by whatever way it is asked for', () => {
  const functions = { double: (value: Json) => Number(value) * 2 };
  for (const source of ['return double(21);', "return globalThis['dou' + 'ble'](21);"])
    expect(sandbox.run(source, { globals: {}, functions })).toMatchObject({ ok: true, value: 42 });
});

test('a global that is not asked for is not made', () => {
  const globals = {
    get costly(): Json {
      throw new Error('nobody asked');
    },
    cheap: 1,
  };
  expect(sandbox.run('return cheap;', { globals })).toMatchObject({ ok: true, value: 1 });
  expect(() => sandbox.run('return costly;', { globals })).toThrow('nobody asked');
});
