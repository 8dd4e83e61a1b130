import fc from 'fast-check';
import type { Parameter } from '../../src/resource/document/openapi-types.ts';

const strangeTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff\ud800',
  '\u202eabc\u200b',
  '💥'.repeat(30),
  'e\u0301\u0327'.repeat(40),
  "'; drop table users; --",
  '" or ""="',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: text that others might evaluate
  '${7*7}{{7*7}}<%= 7*7 %>',
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  'file:///etc/passwd',
  'http://169.254.169.254/latest/',
  'javascript:alert(1)',
  '%',
  '_',
  '\\',
  '%s%n%d',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '1e309',
  '-0',
  '0x10',
  '٣',
  'true',
  '__proto__',
  'constructor',
  '00000000-0000-0000-0000-000000000000',
  '{ffffffff-ffff-ffff-ffff-ffffffffffff}',
  '2024-02-30T25:61:00Z',
  '9999-12-31T23:59:59.999999Z',
  '0001-01-01T00:00:00+14:00',
  '+275760-09-13T00:00:00Z',
  'days=99999999999999999999',
  'hours=-1;weeks=2',
  'a@b',
  'x'.repeat(300),
  'x'.repeat(100_000),
  '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
  'while (true) {}',
  'return request.user.constructor.constructor("return process")()',
];

const nest = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
const strangeValues: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.1,
  2147483647,
  2147483648,
  -2147483649,
  Number.MAX_SAFE_INTEGER + 2,
  1e308,
  5e-324,
  [],
  {},
  [[]],
  [null],
  [{}],
  { '': '' },
  { pk: 1 },
  { 'a\u0000': '\u0000' },
  nest(40),
  nest(500),
  Array.from({ length: 2000 }, (_, at) => at),
  Array.from({ length: 2000 }, () => '00000000-0000-4000-8000-000000000000'),
  Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`member ${at}`, at])),
];

/** Text that breaks what is not careful with text. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...strangeTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
);

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...strangeValues) },
  { weight: 3, arbitrary: hostileText },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.array(hostileText, { maxLength: 4 }) },
);

/** A body that is right but for some of its members, or nothing like it, or not even JSON. */
export function hostileBody(valid: Record<string, unknown>): fc.Arbitrary<string> {
  const names = Object.keys(valid);
  const member = names.length > 0 ? fc.constantFrom(...names, '__proto__', 'pk', 'user') : fc.string();
  const spoiled = fc
    .array(fc.tuple(member, hostileValue), { minLength: 1, maxLength: 3 })
    .map((changes) => JSON.stringify({ ...valid, ...Object.fromEntries(changes) }));
  const lacking = fc
    .subarray(names)
    .map((kept) => JSON.stringify(Object.fromEntries(kept.map((name) => [name, valid[name]]))));
  return fc.oneof(
    { weight: 7, arbitrary: spoiled },
    { weight: 2, arbitrary: lacking },
    { weight: 2, arbitrary: hostileValue.map((value) => JSON.stringify(value)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        '{',
        '{"a":1,}',
        '"\\ud800"',
        '\u0000',
        '['.repeat(50_000),
        '﻿{}',
        '{"a":1}{"b":2}',
      ),
    },
  );
}

/** A query string of parameters that exist, with values that may not fit them. */
export function hostileQuery(parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const names = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
  const wellFormed = hostileText.filter((text) => text.isWellFormed() && text.length < 4_000);
  const pair = fc.tuple(
    fc.constantFrom(...names, 'ordering', 'page', 'page_size', 'search', 'include_users', 'format', '__proto__'),
    wellFormed,
  );
  return fc.oneof(
    { weight: 5, arbitrary: fc.array(pair, { maxLength: 4 }).map((pairs) => new URLSearchParams(pairs).toString()) },
    { weight: 1, arbitrary: fc.constantFrom('', '&&&', '=', 'page=1&page=2', 'search=%FF%FE', 'ordering=%00', 'a=%') },
  );
}

/** A segment of a path: now and then the key of an object that is there. */
export function hostileSegment(key: string): fc.Arbitrary<string> {
  const other = hostileText.filter(
    (text) => text.isWellFormed() && text.length > 0 && text.length < 4_000 && !/^\.+$/.test(text),
  );
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(encodeURIComponent(key)) },
    { weight: 1, arbitrary: other.map(encodeURIComponent) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '0',
        '-1',
        '999999999999999999999',
        '1.5',
        'ffffffff-ffff-4fff-bfff-ffffffffffff',
        '%ff',
      ),
    },
  );
}
