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
  const started = performance.now();
  expect(isRegisteredUri(sandbox, regex('https://(a+)+b'), `https://${'a'.repeat(60)}`)).toBe(false);
  expect(performance.now() - started).toBeLessThan(2_000);
});

const hosts = ['evil.example', 'app.example.evil.example', 'evil-app.example', 'appXexample', '127.0.0.1', '[::1]'];
const tricks = [
  'https://app.example@evil.example/cb/x',
  'https://evil.example\\@app.example/cb/x',
  'https://evil.example#@app.example/cb/x',
  'https://evil.example?.app.example/cb/x',
  'https://user:pass@app.example/cb/x',
  'https://app.example:443/cb/x',
  'https://app.example/cb/../../evil',
  'https://app.example/cb/..;/evil',
  'https://app.example/cb/%2e%2e/evil',
  'https://app.example/cb/%2E%2E/evil',
  'https://app.example/cb/.%2e/evil',
  'https://app.example/cb/%252e%252e/evil',
  'https://app.example/cb/..%2fevil',
  'https://app.example/cb/..%5cevil',
  'https://app.example/cb/%00',
  'https://app.example/cb/./x',
  'https://app.example/cb/\tx',
  'https://app.example/cb/x\r\nLocation: https://evil.example',
  'https://app.example\u0000.evil.example/cb/x',
  'https://app.example/cb/x#fragment',
  'https://app.example/cb/x#',
  'https:app.example/cb/x',
  'https:/app.example/cb/x',
  'https:///app.example/cb/x',
  'https:\\\\app.example\\cb\\x',
  '//app.example/cb/x',
  '/cb/x',
  'app.example/cb/x',
  'HTTPS://app.example/cb/x',
  'https://APP.example/cb/x',
  ' https://app.example/cb/x',
  'https://app.example/cb/x ',
  'https://app.example./cb/x',
  'https://app。example/cb/x',
  'https://ａpp.example/cb/x',
  'javascript:alert(1)//https://app.example/cb/x',
  'java\tscript:alert(1)//app.example/cb/x',
  'data:text/html,https://app.example/cb/x',
  'vbscript:https://app.example/cb/x',
  'blob:https://app.example/cb/x',
  'file:///app.example/cb/x',
  'about:blank',
  '',
];
const schemes = ['https', 'http', 'ftp', 'ws', 'app.example'];
const evil = [
  ...tricks,
  ...hosts.flatMap((host) =>
    schemes.flatMap((scheme) => [`${scheme}://${host}/cb/x`, `${scheme}://app.example.${host}/cb/x`]),
  ),
  ...hosts.flatMap((host) => [
    `https://app.example%2f@${host}/cb/x`,
    `https://${host}%23.app.example/cb/x`,
    `https://${host}/https://app.example/cb/x`,
    `https://${host}/.app.example/cb/x`,
    `https://${host}:80@app.example/cb/x`,
    `https://app.example&@${host}/cb/x`,
    `https://app.example;${host}/cb/x`,
    `https://app.example:80#@${host}/cb/x`,
    `https://app.example:80?@${host}/cb/x`,
    `https://app.example,${host}/cb/x`,
    `https://${host}/cb/x?app.example`,
    `https://${host}/cb/x\\.app.example`,
    `https://app.example%00${host}/cb/x`,
    `https://app.example%0d%0a${host}/cb/x`,
    `https://[app.example]@${host}/cb/x`,
    `https://app.example\u2028${host}/cb/x`,
  ]),
];

// CVE-2023-6291, CVE-2024-1132, CVE-2024-8883 and their kin: parsers that read the same address differently.
test('class 20: no trick with an address gets by, neither as registered nor by a pattern', () => {
  expect(evil.length).toBeGreaterThan(190);
  const registered = [...strict('https://app.example/cb/x'), ...regex('https://app\\.example/cb/[^?#]*')];
  const passed = evil.filter((uri) => isRegisteredUri(sandbox, registered, uri));
  expect(passed).toEqual([]);
});
