import { expect, test } from 'vitest';
import { toParameter, toTimestamp } from './values.ts';

test.each([
  ['2026-01-02 03:04:05.678+00', '2026-01-02T03:04:05.678000Z'],
  ['2026-01-02 03:04:05+00', '2026-01-02T03:04:05.000000Z'],
  ['2026-01-02 03:04:05.000123+09', '2026-01-01T18:04:05.000123Z'],
  ['2026-01-02 03:04:05.1-03:30', '2026-01-02T06:34:05.100000Z'],
  ['1890-01-02 03:04:05+00:53:28', '1890-01-02T02:10:37.000000Z'],
])('the time %s of PostgreSQL is %s', (text, moment) => {
  expect(toTimestamp(text)).toBe(moment);
});

test.each([
  ['text', 'text'],
  [null, null],
  [undefined, null],
  [7, '7'],
  [false, 'false'],
  [['a', 'b"c\\d', null, 2], '{"a","b\\"c\\\\d",NULL,"2"}'],
  [[['x'], []], '{{"x"},{}}'],
])('PostgreSQL gets the parameter %j as %j', (value, parameter) => {
  expect(toParameter(value)).toBe(parameter);
});

test('objects are no parameters of statements on PostgreSQL', () => {
  expect(() => toParameter({ name: 'x' })).toThrow('must be a text');
});
