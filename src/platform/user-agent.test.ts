import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { createUserAgentParser, parseRules } from './user-agent.ts';

const parser = createUserAgentParser();

const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.6478.61 Safari/537.36';
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const pixel =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UD1A.230803.041) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36';

test('the user agent of a desktop browser is recognized', () => {
  expect(parser.parse(chrome)).toEqual({
    device: { brand: '', family: 'Other', model: '' },
    os: { family: 'Linux', major: '', minor: '', patch: '', patch_minor: '' },
    user_agent: { family: 'Chrome', major: '126', minor: '0', patch: '6478' },
    string: chrome,
  });
});

test('the user agent of a phone is recognized', () => {
  expect(parser.parse(iphone)).toEqual({
    device: { brand: 'Apple', family: 'iPhone', model: 'iPhone' },
    os: { family: 'iOS', major: '17', minor: '5', patch: '1', patch_minor: '' },
    user_agent: { family: 'Mobile Safari', major: '17', minor: '5', patch: '' },
    string: iphone,
  });
});

test('a device gets brand and model from its pattern', () => {
  expect(parser.parse(pixel)).toMatchObject({
    device: { brand: 'Google', family: 'Pixel 8', model: 'Pixel 8' },
    os: { family: 'Android', major: '14' },
    user_agent: { family: 'Chrome Mobile', major: '126' },
  });
});

test.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0', 'Firefox', 'Windows', '10'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
    'Safari',
    'Mac OS X',
    '10',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0',
    'Edge',
    'Windows',
    '10',
  ],
  ['curl/8.5.0', 'curl', 'Other', ''],
  ['python-requests/2.31.0', 'Python Requests', 'Other', ''],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'Googlebot', 'Other', ''],
])('the user agent %s is recognized', (text, browser, system, major) => {
  expect(parser.parse(text)).toMatchObject({ user_agent: { family: browser }, os: { family: system, major } });
});

test.each(['', ' ', 'nothing that anyone knows', '\u0000', '😀', '$1 $2', '__proto__'])(
  'the user agent %j is unknown',
  (text) => {
    expect(parser.parse(text)).toEqual({
      device: { brand: '', family: 'Other', model: '' },
      os: { family: 'Other', major: '', minor: '', patch: '', patch_minor: '' },
      user_agent: { family: 'Other', major: '', minor: '', patch: '' },
      string: text,
    });
  },
);

test('all parts are strings without spaces around them, whatever the text', () => {
  const texts = [
    chrome,
    iphone,
    pixel,
    'Opera/9.80 (J2ME/MIDP; Opera Mini/9 (Compatible; MSIE 9)',
    'SamsungSGH-E250/1.0 ',
  ];
  for (const text of texts) {
    const { device, os, user_agent } = parser.parse(text);
    for (const part of [device, os, user_agent].flatMap((parts) => Object.values(parts))) {
      expect(part).toBeTypeOf('string');
      expect(part).toBe(part.trim());
    }
  }
});

test('text is cut at 1024 characters', () => {
  const long = `${chrome} ${'x'.repeat(100_000)}`;
  expect(parser.parse(long).string).toBe(long.slice(0, 1024));
  expect(parser.parse(long).user_agent.family).toBe('Chrome');
  expect(parser.parse(`${'x'.repeat(1024)}${chrome}`).user_agent.family).toBe('Other');
});

test('hostile user agents are parsed quickly', () => {
  parser.parse('warm');
  const pieces = [
    '(',
    'a/',
    '1.',
    '; ',
    'Linux; Android 9; ',
    'Build/',
    'CFNetwork ',
    'Mozilla/5.0 (',
    ' ',
    '-',
    'X11; ',
  ];
  const started = process.threadCpuUsage();
  for (const piece of pieces) parser.parse(piece.repeat(1024));
  expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(1000);
});

test('the same text gives the same answer, which no reader can change', () => {
  const first = parser.parse(chrome);
  expect(parser.parse(chrome)).toBe(first);
  expect(() => Object.assign(first.os, { family: 'changed' })).toThrow(TypeError);
});

test('the patterns are read as a YAML parser reads them', () => {
  const text = readFileSync(createRequire(import.meta.url).resolve('uap-core/regexes.yaml'), 'utf8');
  expect(parseRules(text)).toEqual(parseYaml(text));
});

test.each([
  ['a value without quotes', 'os_parsers:\n  - regex: plain'],
  ['a list in a list', "os_parsers:\n  - - regex: 'x'"],
  ['a rule outside any list', "  - regex: 'x'"],
  ['an unknown list', "toaster_parsers:\n  - regex: 'x'"],
  ['an escape that would need understanding', 'os_parsers:\n  - regex: "\\\\d"'],
])('user agent patterns with %s are refused', (_name, yaml) => {
  expect(() => parseRules(yaml)).toThrow('unknown shape');
});
