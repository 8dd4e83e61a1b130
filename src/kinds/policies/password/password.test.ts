import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseCidrs } from '../../../lib/cidr.ts';
import { message, verbatim } from '../../../lib/texts/message.ts';
import type { Query } from '../../../platform/db/database.ts';
import { createFetch } from '../../../platform/fetch/guarded-fetch.ts';
import type { PolicyRequest } from '../../../policy/request.ts';
import { passwords } from './password.ts';

const stolen = 'correct horse battery staple';
const asked: string[] = [];
let status = 200;
let body: string | null = null;
let server: Server;
const fetch = createFetch({ allow: parseCidrs(['127.0.0.0/8']) });

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const hash = createHash('sha1').update(stolen).digest('hex').toUpperCase();
    response.writeHead(status).end(body ?? `0018A45C4D1DEF81644B54AB7F969B88D65:0\r\n${hash.slice(5)}:37\r\n`);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});
afterAll(async () => {
  await fetch.close();
  server.close();
});

const relaxed = {
  pk: '',
  name: 'Rules',
  execution_logging: false,
  created: '',
  last_updated: '',
  bound_to: 0,
  password_field: 'password',
  amount_digits: 0,
  amount_uppercase: 0,
  amount_lowercase: 0,
  amount_symbols: 0,
  length_min: 0,
  symbol_charset: '!?',
  error_message: 'no',
  check_static_rules: true,
  check_have_i_been_pwned: false,
  check_zxcvbn: false,
  hibp_allowed_count: 0,
  zxcvbn_score_threshold: 2,
};

async function ask(rules: Record<string, unknown>, context: PolicyRequest['context']) {
  const { port } = server.address() as AddressInfo;
  const kind = passwords({ fetch, stolenPasswordsUrl: `http://127.0.0.1:${port}/range/` });
  return kind.evaluate({ ...relaxed, ...rules }, { context } as PolicyRequest, {} as Query);
}
const typed = (password: string) => ({ prompt_data: { password } });

test.each([
  ['length', { length_min: 4 }, 'ab😀', 'ab😀d'],
  ['digits', { amount_digits: 2 }, 'a1b', 'a1b2'],
  ['capitals', { amount_uppercase: 1 }, 'straße', 'Öl'],
  ['small letters', { amount_lowercase: 1 }, 'ABC1', 'ABç'],
  ['symbols', { amount_symbols: 2 }, 'a!b.', 'a!b?'],
])('the password policy counts %s', async (_name, rules, bad, good) => {
  expect(await ask(rules, typed(bad))).toMatchObject({ passing: false, messages: [verbatim('no')] });
  expect(await ask(rules, typed(good))).toMatchObject({ passing: true });
  expect(await ask({ ...rules, check_static_rules: false }, typed(bad))).toMatchObject({ passing: true });
});

test('the password policy reads the configured prompt, and fails without a password', async () => {
  expect(await ask({ password_field: 'new', length_min: 3 }, { prompt_data: { new: 'abc' } })).toMatchObject({
    passing: true,
  });
  for (const context of [{}, { prompt_data: null }, { prompt_data: { password: 5 } }, { prompt_data: ['abc'] }])
    expect(await ask({}, context)).toMatchObject({ passing: false });
});

test('the password policy refuses passwords that are easily guessed', async () => {
  expect(await ask({ check_zxcvbn: true }, typed('password1'))).toMatchObject({ passing: false });
  expect(await ask({ check_zxcvbn: true }, typed('vorhang-ambra-9-quitte-tausch'))).toMatchObject({ passing: true });
  expect(
    await ask({ check_zxcvbn: true, zxcvbn_score_threshold: 4 }, typed('vorhang-ambra-9-quitte-tausch')),
  ).toMatchObject({ passing: false });
  const started = process.threadCpuUsage();
  await ask({ check_zxcvbn: true }, typed('aA1!'.repeat(100_000)));
  expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(5_000);
});

test('the password policy looks up leaked passwords by five digits of a hash, and only when enabled', async () => {
  await ask({}, typed(stolen));
  expect(asked).toEqual([]);
  expect(await ask({ check_have_i_been_pwned: true }, typed(stolen))).toMatchObject({
    passing: false,
    messages: [message('Password exists on {count} online lists.', { count: 37 })],
  });
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(/^\/range\/[0-9A-F]{5}$/);
  expect(await ask({ check_have_i_been_pwned: true, hibp_allowed_count: 37 }, typed(stolen))).toMatchObject({
    passing: true,
  });
  expect(await ask({ check_have_i_been_pwned: true }, typed('another one'))).toMatchObject({ passing: true });
});

test('the password policy fails when the list of leaked passwords is unavailable', async () => {
  status = 503;
  await expect(ask({ check_have_i_been_pwned: true }, typed(stolen))).rejects.toThrow('could not be checked');
  status = 200;
});

test.each([
  '',
  '<html>Please sign in to the network</html>',
  '{"error":"quota"}',
  `${createHash('sha1').update(stolen).digest('hex').toUpperCase().slice(5)}:many`,
])('the password policy fails when the answer is no list of leaked passwords: %j', async (text) => {
  body = text;
  await expect(ask({ check_have_i_been_pwned: true }, typed(stolen))).rejects.toThrow('could not be checked');
  body = null;
});
