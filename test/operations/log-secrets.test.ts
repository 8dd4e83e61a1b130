import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { apiFor } from '../support/api.ts';
import {
  firstStart,
  logLines,
  processPassword,
  processToken,
  startServerProcess,
} from '../support/gatehouse-process.ts';
import { newFolder } from '../support/server.ts';
import { rawConnection } from './raw-connection.ts';

/** Recognizable wherever it might turn up. */
const secret = (name: string) => `hush-${name}-4711-hush`;

test('the log at trace level contains no secret of a whole session', async () => {
  const server = await startServerProcess({
    GATEHOUSE_DATA_DIR: newFolder(),
    ...firstStart,
    GATEHOUSE_LOG_LEVEL: 'trace',
    GATEHOUSE_METRICS_TOKEN: secret('metrics-token'),
    GATEHOUSE_SECRET_KEY: secret('instance-key').repeat(2),
  });
  const admin = server.as(processToken);
  const statuses = new Set<number>();
  const note = ({ status }: { status: number }) => statuses.add(status);

  const user = await admin.post('/core/users/', { username: 'ada', name: 'Ada' });
  note(user);
  note(await admin.post(`/core/users/${user.body.pk}/set_password/`, { password: secret('new-password') }));
  note(await admin.post('/core/users/nobody/set_password/', { password: secret('lost-password') }));
  note(await admin.post('/core/tokens/', { identifier: 'one', key: secret('given-key'), intent: 'api' }));
  const key = await admin.get('/core/tokens/one/view_key/');
  note(key);
  note(await server.as(secret('wrong-bearer')).get('/core/users/'));
  note(await admin.get('/core/users/', { authorization: `Basic ${btoa(`admin:${secret('basic')}`)}` }));
  note(await apiFor(server.url, { cookie: `gatehouse_session=${secret('cookie')}` }).post('/core/groups/', {}));
  note(await admin.get(`/core/users/?token=${secret('query')}&code=${secret('code')}`));
  note(await admin.get(`/no/such/?password=${secret('query-password')}`));
  note(await admin.post('/core/groups/', `{"password": "${secret('broken-json')}`));
  note(await admin.post('/core/groups/', { name: [secret('wrong-type')], token: secret('unknown-member') }));
  note(await admin.post('/providers/oauth2/', { name: 'x', client_secret: secret('client-secret') }));
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  note(await admin.post('/crypto/certificatekeypairs/', { name: 'x', certificate_data: 'x', key_data: privateKey }));
  note(
    await admin.send('GET', '/-/metrics', undefined, {
      authorization: `Bearer ${secret('other-metrics-token')}`,
      via: 'x',
    }),
  );
  const broken = await rawConnection(server.url);
  broken.write(
    `GET /?token=${secret('raw')} HTTP/1.1\r\nAuthorization: Bearer ${secret('raw-bearer')}\r\nbroken\r\n\r\n`,
  );
  await broken.closed();
  const { stdout, stderr } = await server.stop();

  expect(statuses).toContain(403);
  expect(statuses).toContain(400);
  expect(statuses).toContain(404);
  expect([...statuses].filter((status) => status >= 500)).toEqual([]);
  const said = stdout + stderr;
  expect(said).not.toMatch(/hush-[\w-]+-hush/);
  const base64 = [...said.matchAll(/[A-Za-z0-9+/]{24,}={0,2}/g)].map(([text]) =>
    Buffer.from(text, 'base64').toString(),
  );
  expect(base64.filter((text) => text.includes('hush'))).toEqual([]);
  for (const text of [processToken, processPassword, key.body.key]) expect(said).not.toContain(text);
  expect(said).not.toContain(privateKey.split('\n')[1]);

  // Each request has its line, under the id that its answer carried.
  const lines = logLines(stdout).filter(({ msg }) => msg === 'request' || msg === 'request refused');
  expect(lines.length).toBeGreaterThanOrEqual(15);
  const shown = lines.find(({ request_id }) => request_id === user.headers.get('x-request-id'));
  expect(shown).toMatchObject({
    level: 'debug',
    req: { method: 'POST', url: '/api/v3/core/users/' },
    res: { status: 201 },
  });
  expect(said).not.toContain('Server listening');
});

test('at the default level, requests that succeed or are refused are not logged', async () => {
  const server = await startServerProcess({ GATEHOUSE_DATA_DIR: newFolder(), ...firstStart });
  await server.as(processToken).get('/core/users/');
  await server.as('wrong').get('/core/users/');
  await server.as(processToken).post('/core/groups/', '{');
  const { stdout } = await server.stop();
  expect(logLines(stdout).map(({ msg }) => msg)).toEqual([
    'the database schema is up to date',
    'Gatehouse is ready',
    'Gatehouse is stopping',
    'Gatehouse has stopped',
  ]);
});

test('generated credentials are printed outside the log, and only at the first start', async () => {
  const env = { GATEHOUSE_DATA_DIR: newFolder(), GATEHOUSE_LOG_LEVEL: 'trace' };
  const server = await startServerProcess(env);
  const [, password = ''] = /^ {2}password {4}(\S+)$/m.exec(server.stdout()) ?? [];
  const [, token = ''] = /^ {2}API token {3}(\S+)$/m.exec(server.stdout()) ?? [];
  expect(password.length).toBeGreaterThan(20);
  const [, link = ''] = /^ {2}http\S+(\/if\/first-sign-in\/\?token=\w+)$/m.exec(server.stdout()) ?? [];
  const [page = '', linkToken = ''] = link.split('?token=');
  expect((await server.as(token).get('/core/users/')).status).toBe(200);
  // Looking at the link does not use it up; signing in with it does.
  for (const status of [200, 200]) expect((await fetch(server.url + link)).status).toBe(status);
  const enter = (given: string) =>
    fetch(server.url + page, { method: 'POST', body: new URLSearchParams({ token: given }), redirect: 'manual' });
  expect((await enter('wrong')).status).toBe(403);
  const entered = await enter(linkToken);
  expect([entered.status, entered.headers.get('location')]).toEqual([303, '/if/admin/']);
  const cookie = entered.headers.getSetCookie().map((one) => one.split(';', 1)[0]);
  const me = await fetch(`${server.url}/api/v3/core/users/me/`, { headers: { cookie: cookie.join('; ') } });
  expect(await me.json()).toMatchObject({ user: { username: 'admin' } });
  expect((await enter(linkToken)).status).toBe(403);
  expect((await fetch(server.url + link)).status).toBe(403);
  const { stdout } = await server.stop();
  for (const text of [password, token, linkToken]) {
    expect(stdout.split(text)).toHaveLength(2);
    expect(JSON.stringify(logLines(stdout))).not.toContain(text);
  }
  const second = await startServerProcess(env);
  const again = await second.stop();
  for (const text of [password, token, 'first-sign-in', 'shown only once']) expect(again.stdout).not.toContain(text);
});
