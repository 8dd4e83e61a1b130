import { expect, test } from 'vitest';
import { OAuthError } from './oauth-error.ts';
import { parseParams, words } from './params.ts';

test('an empty parameter counts as none (RFC 6749 §3.1)', () => {
  const params = parseParams('code=&scope=openid+email&state=a%20b');
  expect([params.get('code'), params.get('scope'), params.get('state')]).toEqual([undefined, 'openid email', 'a b']);
  expect(params.all('code')).toEqual([]);
  expect(() => params.require('code')).toThrow('code is missing.');
});

test.each(['a=1&a=2', 'a=1&a=1', 'code=%00', '%00=x', `a=${'x'.repeat(70_000)}`])(
  'the form %.20s is refused',
  (text) => {
    expect(() => parseParams(text)).toThrow(OAuthError);
  },
);

test('resource and audience may stand several times (RFC 8707 §2, RFC 8693 §2.1)', () => {
  const params = parseParams('resource=https://a.example/&resource=https://b.example/&audience=x&audience=y');
  expect(params.all('resource')).toEqual(['https://a.example/', 'https://b.example/']);
  expect(params.entries()).toHaveLength(4);
});

test.each(['a=b=c&d', '=x&y=', '&&a=1&', 'a+b=%2B+%26', 'ä=%C3%A4', 'a=%E4&b=%&c=%4&d=%zz&e=%C3', 'a=%F0%9F%98%80'])(
  '%s is read as URLSearchParams does',
  (text) => {
    const theirs = [...new URLSearchParams(text)].filter(([, value]) => value !== '');
    expect(parseParams(text).entries()).toEqual(theirs);
  },
);

test('the words of a list stand once each, in their order', () => {
  expect(words(' openid  email openid ')).toEqual(['openid', 'email']);
  expect(words(undefined)).toEqual([]);
});
