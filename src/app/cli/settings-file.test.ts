import { expect, test } from 'vitest';
import { parseSettings } from './settings-file.ts';

test.each([
  ['A=plain', 'plain'],
  [
    'A=postgres://g:p@db/g?sslmode=verify-full&sslrootcert=/ca.pem',
    'postgres://g:p@db/g?sslmode=verify-full&sslrootcert=/ca.pem',
  ],
  ['A=p$ss#word ', 'p$ss#word'],
  ['A="with \\"quotes\\" and #"', 'with "quotes" and #'],
  ["A='single $x \\'", 'single $x \\'],
  ['A=two \\\nlines', 'two lines'],
  ['A="two\nlines"', 'two\nlines'],
  ['  A = b', 'b'],
  ['A=first\nA=second', 'second'],
  ['#A=x\n;A=y\nA=', ''],
  ['A=windows\r\nB=x', 'windows'],
])('reads %j as systemd does', (text, value) => {
  expect(parseSettings(text).A).toBe(value);
});

test('passes over lines that are no assignments', () => {
  expect(parseSettings('export A=1\n# B=2\n2C=3\nD=4')).toEqual({ D: '4' });
});
