import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { LogLevel } from './config-values.ts';
import { createLog } from './log.ts';

function recordedLog(level: LogLevel = 'info') {
  const lines: string[] = [];
  const log = createLog({ level, stream: { write: (line) => void lines.push(line) } });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown> };
}

test('a line is one JSON object with its level in words and the time in ISO 8601', () => {
  const { log, lines, last } = recordedLog();
  log.info({ port: 9000 }, 'listening');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^\{.*\}\n$/);
  expect(last()).toEqual({ level: 'info', time: expect.any(String), port: 9000, msg: 'listening' });
  expect(new Date(String(last().time)).toISOString()).toBe(last().time);
});

test('lines below the level are left out', () => {
  const { log, lines } = recordedLog('warn');
  log.info('quiet');
  log.warn('loud');
  expect(lines).toHaveLength(1);
});

test('a child carries its request id into every line, and so do its children', () => {
  const { log, last } = recordedLog();
  const child = log.child({ request_id: 'r1' });
  child.info('one');
  expect(last()).toMatchObject({ request_id: 'r1', msg: 'one' });
  child.child({ job: 'mail' }).info('two');
  expect(last()).toMatchObject({ request_id: 'r1', job: 'mail', msg: 'two' });
});

test.each([
  'authorization',
  'Authorization',
  'cookie',
  'set-cookie',
  'password',
  'newPassword',
  'token',
  'plex_token',
  'X-Plex-Token',
  'accessToken',
  'client_secret',
  'clientSecret',
  'key',
  'api_key',
  'privateKey',
  'key_data',
])('the member %s is masked at every depth', (name) => {
  const { log, lines } = recordedLog();
  log.info({ [name]: 'hunter2' });
  log.info({ headers: { [name]: ['hunter2'] } });
  log.info({ a: { b: [{ c: { [name]: { value: 'hunter2' } } }] } });
  log.child({ [name]: 'hunter2', deep: { [name]: 'hunter2' } }).info('x');
  log.info({ err: Object.assign(new Error('no'), { request: { [name]: 'hunter2' } }) });
  expect(lines).toHaveLength(5);
  for (const line of lines) {
    expect(line).not.toContain('hunter2');
    expect(line).toContain('[hidden]');
  }
});

test('names that only begin like a secret, and flags, are shown', () => {
  const { log, last } = recordedLog();
  const members = { token_type: 'bearer', key_id: 'k1', has_password: true, secret: null, keyboard: 'de', monkey: 'x' };
  log.info(members);
  expect(last()).toMatchObject(members);
});

test('URLs keep their query but for secrets', () => {
  const { log, last } = recordedLog();
  log.info({ url: '/callback/?code=abc&state=def&page=2&plex_token=xyz&%74oken=t' });
  expect(last().url).toBe('/callback/?code=[hidden]&state=[hidden]&page=2&plex_token=[hidden]&token=[hidden]');
  log.info({ url: '/if/flow/x/?next=%2Fdevice%3Fuser_code%3DBCDF-GHJK%26page%3D2' });
  expect(last().url).toBe('/if/flow/x/?next=%2Fdevice%3Fuser_code%3D%5Bhidden%5D%26page%3D2');
  log.info({ url: '/if/flow/x/?next=%2Fa%3Fnext%3D%252Fdevice%253Fcode%253DBCDF%26x%3D%zz' });
  expect(last().url).not.toContain('BCDF');
  log.info({ url: `/x/${'?a='.repeat(5_000)}BCDF` });
  expect(last().url).not.toContain('BCDF');
  log.info({ url: '/if/flow/x/?next=%2Fif%2Fuser%2F%3Fpage%3D2' });
  expect(last().url).toBe('/if/flow/x/?next=%2Fif%2Fuser%2F%3Fpage%3D2');
  log.info({ url: '/acs/?answer=abc&ticket=def&request_uri=urn:x' });
  expect(last().url).toBe('/acs/?answer=[hidden]&ticket=[hidden]&request_uri=[hidden]');
  log.info({ url: '/end-session/?id_token_hint=abc&user_code=BCDF-GHJK&ui_locales=de' });
  expect(last().url).toBe('/end-session/?id_token_hint=[hidden]&user_code=[hidden]&ui_locales=de');
});

test('an error shows type, message, code, stack and cause', () => {
  const { log, last } = recordedLog();
  const cause = new Error('connection refused');
  log.error(Object.assign(new TypeError('no database', { cause }), { code: 'ECONNREFUSED' }));
  expect(last()).toMatchObject({
    level: 'error',
    msg: 'no database',
    err: { type: 'TypeError', message: 'no database: connection refused', code: 'ECONNREFUSED' },
  });
  expect(JSON.stringify(last().err)).toContain('caused by: Error: connection refused');
});

test("a database's error does not show the row", () => {
  const { log, lines } = recordedLog();
  log.error({ err: Object.assign(new Error('not null'), { detail: 'Failing row contains (1, hunter2).' }) });
  expect(lines[0]).not.toContain('hunter2');
});

test('circular, deep, large and strange values neither throw nor flood the log', () => {
  const { log, lines } = recordedLog();
  const circle: Record<string, unknown> = { name: 'circle' };
  circle.self = circle;
  let deep: object = {};
  for (let depth = 0; depth < 100; depth++) deep = { deep };
  const large = Array.from({ length: 100_000 }, (_, id) => ({ id, at: new Date(0) }));
  log.info({ circle, deep, large, bytes: new Uint8Array(4), big: 12n, db: new DatabaseSync(':memory:') });
  expect(lines).toHaveLength(1);
  expect(lines[0]?.length).toBeLessThan(100_000);
  expect(lines[0]).toContain('[circular]');
  expect(lines[0]).toContain('[4 bytes]');
  expect(lines[0]).toContain('[99950 more]');
});
