import { expect, test } from 'vitest';
import { parseDuration } from './duration.ts';

test.each([
  ['hours=1;minutes=30', 5_400_000],
  ['hours=3;minutes=1', 10_860_000],
  ['microseconds=1500', 1.5],
  ['milliseconds=250', 250],
  ['seconds=1', 1000],
  ['minutes=1', 60_000],
  ['hours=1', 3_600_000],
  ['days=1', 86_400_000],
  ['weeks=4', 2_419_200_000],
  ['seconds=0', 0],
  ['minutes=-5', -300_000],
  ['hours=1;minutes=-30', 1_800_000],
  ['days=+2', 172_800_000],
  ['hours=1.5', 5_400_000],
  ['Hours=1; MINUTES = 2 ', 3_720_000],
  ['weeks=1;days=1;hours=1;minutes=1;seconds=1;milliseconds=1;microseconds=1000', 694_861_002],
])('the duration %s is %d milliseconds', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test('a duration of zero is never minus zero', () => {
  expect(Object.is(parseDuration('seconds=-0'), 0)).toBe(true);
});

test.each([
  '',
  ' ',
  ';',
  'hours',
  'hours=',
  '=1',
  'hours=1;',
  ';hours=1',
  'hours=1;;minutes=1',
  'hours=1,minutes=2',
  'hours=one',
  'hours=1e3',
  'hours=0x10',
  'hours=Infinity',
  'hours=NaN',
  'hours=.5',
  'hours=1=2',
  'hours=- 1',
  'months=1',
  'years=1',
  'hour=1',
  'hours=1;hours=2',
  'hours=1;HOURS=2',
  'constructor=1',
  '3600',
  'PT1H',
  'weeks=999999999',
  'days=-1000000000',
  `seconds=${'9'.repeat(400)}`,
])('%j is not a duration', (text) => {
  expect(parseDuration(text)).toBeNull();
});

test('a long invalid duration is refused quickly', () => {
  const started = process.threadCpuUsage();
  expect(parseDuration(`${' '.repeat(200_000)}!`)).toBeNull();
  expect(parseDuration(`hours=1${' '.repeat(200_000)}!`)).toBeNull();
  expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(500);
});
