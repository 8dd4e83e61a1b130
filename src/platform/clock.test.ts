import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMilliseconds, fromTimestamp, parseTimestamp, systemClock, toTimestamp } from './clock.ts';

test('the system clock tells the present in canonical form', () => {
  const before = Date.now();
  const now = systemClock.now();
  expect(now).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/);
  expect(fromTimestamp(now).getTime()).toBeGreaterThanOrEqual(before);
  expect(fromTimestamp(now).getTime()).toBeLessThanOrEqual(Date.now());
});

test('a date becomes a timestamp of six digits', () => {
  expect(toTimestamp(new Date('2024-02-29T12:34:56.789Z'))).toBe('2024-02-29T12:34:56.789000Z');
  expect(toTimestamp(0)).toBe('1970-01-01T00:00:00.000000Z');
  expect(toTimestamp(1.7)).toBe('1970-01-01T00:00:00.001000Z');
  expect(toTimestamp(Date.parse('0001-01-01T00:00:00Z'))).toBe('0001-01-01T00:00:00.000000Z');
});

test.each([Number.NaN, new Date('nonsense'), 8.64e15, Date.parse('0000-12-31T23:59:59.999Z'), 253402300800000])(
  'the moment %s has no timestamp',
  (date) => {
    expect(() => toTimestamp(date)).toThrow(RangeError);
  },
);

test.each([
  '',
  '2024-01-01',
  '2024-01-01T00:00:00Z',
  '2024-13-01T00:00:00.000000Z',
  '2024-02-30T00:00:00.000000Z',
  '2024-01-01T00:00:00.000000+00:00',
])('only canonical text is a timestamp: %s', (text) => {
  expect(() => fromTimestamp(text)).toThrow(RangeError);
});

test('adding keeps the microseconds, carries them and goes both ways', () => {
  expect(addMilliseconds('2024-01-01T00:00:00.123456Z', 1000)).toBe('2024-01-01T00:00:01.123456Z');
  expect(addMilliseconds('2024-01-01T00:00:00.000456Z', -1)).toBe('2023-12-31T23:59:59.999456Z');
  expect(addMilliseconds('2024-01-01T00:00:00.000900Z', 0.2)).toBe('2024-01-01T00:00:00.001100Z');
  expect(addMilliseconds('2024-01-01T00:00:00.000000Z', -0.001)).toBe('2023-12-31T23:59:59.999999Z');
  expect(addMilliseconds('2024-02-28T00:00:00.000000Z', 86_400_000)).toBe('2024-02-29T00:00:00.000000Z');
});

test('adding stays inside the calendar', () => {
  expect(addMilliseconds('2024-01-01T00:00:00.000000Z', 1e18)).toBe('9999-12-31T23:59:59.999999Z');
  expect(addMilliseconds('2024-01-01T00:00:00.000000Z', Number.POSITIVE_INFINITY)).toBe('9999-12-31T23:59:59.999999Z');
  expect(addMilliseconds('2024-01-01T00:00:00.000000Z', Number.NEGATIVE_INFINITY)).toBe('0001-01-01T00:00:00.000000Z');
  expect(() => addMilliseconds('2024-01-01T00:00:00.000000Z', Number.NaN)).toThrow(RangeError);
});

test.each([
  ['2024-05-06T07:08', '2024-05-06T07:08:00.000000Z'],
  ['2024-05-06T07:08:09', '2024-05-06T07:08:09.000000Z'],
  ['2024-05-06 07:08:09Z', '2024-05-06T07:08:09.000000Z'],
  ['2024-05-06T07:08:09.1', '2024-05-06T07:08:09.100000Z'],
  ['2024-05-06T07:08:09.123456Z', '2024-05-06T07:08:09.123456Z'],
  ['2024-05-06T07:08:09.000001+02:30', '2024-05-06T04:38:09.000001Z'],
  ['2024-05-06T23:08-01:00', '2024-05-07T00:08:00.000000Z'],
  ['2024-02-29T00:00Z', '2024-02-29T00:00:00.000000Z'],
  ['0001-01-01T00:00Z', '0001-01-01T00:00:00.000000Z'],
  ['0099-01-01T00:00Z', '0099-01-01T00:00:00.000000Z'],
  ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
  ['2024-05-06T07:08-00:00', '2024-05-06T07:08:00.000000Z'],
])('the time %s is read as %s', (text, expected) => {
  expect(parseTimestamp(text)).toBe(expected);
});

test.each([
  '',
  'now',
  '2024-05-06',
  '2024-05-06T',
  '2024-05-06T07',
  '2024-05-06T07:08:',
  '2024-05-06T07:08:09.',
  '2024-05-06T07:08:09.1234567',
  '2024-05-06T07:08.5',
  '2024-02-30T00:00',
  '2023-02-29T00:00',
  '2024-00-10T00:00',
  '2024-13-10T00:00',
  '2024-01-00T00:00',
  '2024-01-01T24:00',
  '2024-01-01T23:60',
  '2024-01-01T23:59:60',
  '0000-01-01T00:00',
  '0001-01-01T00:00+00:01',
  '9999-12-31T23:59:59-00:01',
  '+10000-01-01T00:00',
  '2024-01-01T00:00+24:00',
  '2024-01-01T00:00+01:60',
  '2024-01-01T00:00+01',
  '2024-01-01T00:00 Z',
  ' 2024-01-01T00:00',
  '2024-01-01T00:00\n',
  '２０２４-01-01T00:00',
])('the time %j is refused', (text) => {
  expect(parseTimestamp(text)).toBeNull();
});

test('every timestamp is read back as itself', () => {
  const microseconds = fc.bigInt({ min: -62135596800000000n, max: 253402300799999999n });
  fc.assert(
    fc.property(microseconds, (value) => {
      const milliseconds = Number(value / 1000n - (value % 1000n < 0n ? 1n : 0n));
      const text = addMilliseconds(toTimestamp(milliseconds), Number(((value % 1000n) + 1000n) % 1000n) / 1000);
      expect(parseTimestamp(text)).toBe(text);
      expect(fromTimestamp(text).getTime()).toBe(milliseconds);
    }),
  );
});
