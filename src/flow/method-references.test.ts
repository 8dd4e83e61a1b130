import { expect, test } from 'vitest';
import { methodReferences } from './method-references.ts';

const devices = (...methods: string[][]) => ({ mfa_devices: methods.map((one) => ({ methods: one })) });

test.each([
  [null, {}, []],
  ['source', {}, []],
  ['password', {}, ['pwd']],
  ['app_password', {}, ['pwd']],
  ['password', devices(['otp']), ['pwd', 'otp', 'mfa']],
  ['password', devices(['sms'], ['otp'], ['sms']), ['pwd', 'sms', 'otp', 'mfa']],
  ['auth_webauthn_pwl', devices(['pop', 'user']), ['pop', 'user']],
])('the authentication methods of %s with %j are %j', (auth_method, auth_method_args, expected) => {
  expect(methodReferences({ auth_method, auth_method_args })).toEqual(expected);
});
