import { expect, test } from 'vitest';
import { createSandbox } from '../../../../platform/sandbox/sandbox.ts';
import { isRegisteredUri } from './match-redirect-uri.ts';

const sandbox = createSandbox();
const strict = (...urls: string[]) => urls.map((url) => ({ matching_mode: 'strict' as const, url }));
const regex = (...urls: string[]) => urls.map((url) => ({ matching_mode: 'regex' as const, url }));

test('an address is compared as it is', () => {
  const registered = strict('https://app.example/callback', 'com.example.app:/done', 'http://localhost:8080/');
  for (const { url } of registered) expect(isRegisteredUri(sandbox, registered, url)).toBe(true);
  expect(isRegisteredUri(sandbox, registered, 'https://app.example/callback/')).toBe(false);
  expect(isRegisteredUri(sandbox, registered, 'https://APP.example/callback')).toBe(false);
  expect(isRegisteredUri(sandbox, strict('https://foo.example.com/'), 'https://fooaexample.com/')).toBe(false);
  expect(isRegisteredUri(sandbox, [], 'https://app.example/callback')).toBe(false);
});

test('a pattern matches the whole address or not at all', () => {
  const registered = regex('https://[a-z]+\\.app\\.example/callback', 'http://127\\.0\\.0\\.1:\\d+/');
  const matches = (uri: string) => isRegisteredUri(sandbox, registered, uri);
  expect(matches('https://one.app.example/callback')).toBe(true);
  expect(matches('http://127.0.0.1:49152/')).toBe(true);
  expect(matches('https://one.app.example/callback/more')).toBe(false);
  expect(matches('https://evil.example/?https://one.app.example/callback')).toBe(false);
  expect(matches('https://oneXappXexample/callback')).toBe(false);
  expect(matches('https://one.app.example/callback\n')).toBe(false);
});

test('a choice in a pattern is anchored on both sides', () => {
  const registered = regex('https://a\\.example/|https://b\\.example/');
  expect(isRegisteredUri(sandbox, registered, 'https://b.example/')).toBe(true);
  expect(isRegisteredUri(sandbox, registered, 'https://a.example/evil')).toBe(false);
  expect(isRegisteredUri(sandbox, regex('x)|(?:https://.*'), 'https://evil.example/')).toBe(false);
});

test('a pattern that takes for ever matches nothing, and soon', () => {
  const started = process.threadCpuUsage();
  expect(isRegisteredUri(sandbox, regex('https://(a+)+b'), `https://${'a'.repeat(60)}`)).toBe(false);
  expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(2_000);
});
