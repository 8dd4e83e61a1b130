import { expect, test } from 'vitest';
import { readPhoneNumber } from './phone-number.ts';

test.each([
  ['+46701234567', '+46701234567'],
  ['0046 70-123 45 67', '+46701234567'],
  ['+1 (555) 010.0123', '+15550100123'],
  ['+49 30/1234567', '+49301234567'],
])('the phone number %s is read as %s', (text, number) => {
  expect(readPhoneNumber(text)).toBe(number);
});

test.each(['', '112', '0701234567', '+0123456789', '+123456', '+1234567890123456', '+46\u0000701234567', '+46x'])(
  '%j is no number',
  (text) => {
    expect(readPhoneNumber(text)).toBeNull();
  },
);
