import type { RequestListener } from 'node:http';
import { expect } from 'vitest';
import type { OutboundRequest } from './guarded-fetch.ts';
import { failure, type LocalServers, readAll, test } from './local-servers.fixture.ts';
import { followRedirect, type Hop } from './redirect.ts';

test('redirects share one deadline', async ({ serve, open }) => {
  const port = await serve((_, response) => {
    setTimeout(() => response.writeHead(302, { location: '/' }).end(), 60);
  });
  expect((await failure(open({ timeoutMs: 200, maxRedirects: 1000 })(`http://127.0.0.1:${port}/`))).reason).toBe(
    'timeout',
  );
});

test.for([301, 302, 303, 307, 308])('a redirect (%d) is a failure by default', async (status, { serve, open }) => {
  const port = await serve((_, response) => response.writeHead(status, { location: '/next' }).end());
  expect((await failure(open()(`http://127.0.0.1:${port}/`))).reason).toBe('redirect');
});

test('304 is an answer, not a redirect', async ({ serve, open }) => {
  const port = await serve((_, response) => response.writeHead(304).end());
  expect((await open()(`http://127.0.0.1:${port}/`)).status).toBe(304);
});

test('redirects are followed as often as allowed', async ({ serve, open }) => {
  const port = await serve((request, response) => {
    const step = Number(request.url?.slice(1));
    if (step < 3) response.writeHead(302, { location: String(step + 1) }).end('moved');
    else response.end('here');
  });
  expect((await open({ maxRedirects: 3 })(`http://127.0.0.1:${port}/0`)).text()).toBe('here');
  expect((await failure(open({ maxRedirects: 2 })(`http://127.0.0.1:${port}/0`))).reason).toBe('redirect');
});

test.for([
  ['http://169.254.169.254/latest/meta-data/', 'blocked'],
  ['http://[::1]/', 'blocked'],
  ['//10.0.0.1/', 'blocked'],
  ['http://2852039166/', 'blocked'],
  ['file:///etc/passwd', 'redirect'],
  ['http://user:pw@127.0.0.1/', 'redirect'],
  ['http://', 'redirect'],
])('a redirect to %s is not followed: %s', async ([location, reason], { serve, open }) => {
  const port = await serve((_, response) => response.writeHead(302, { location }).end());
  expect((await failure(open({ maxRedirects: 5 })(`http://127.0.0.1:${port}/`))).reason).toBe(reason);
});

async function redirectTo(
  { serve, open }: Pick<LocalServers, 'serve' | 'open'>,
  target: 'same' | 'other',
  status: number,
  request: OutboundRequest,
): Promise<unknown> {
  const echo: RequestListener = async (incoming, response) => {
    const { method, headers } = incoming;
    response.end(JSON.stringify({ method, headers, body: await readAll(incoming) }));
  };
  const other = await serve(echo);
  const port = await serve((incoming, response) => {
    if (incoming.url === '/echo') echo(incoming, response);
    else response.writeHead(status, { location: target === 'same' ? '/echo' : `http://127.0.0.1:${other}/echo` }).end();
  });
  return (await open({ maxRedirects: 1 })(`http://127.0.0.1:${port}/`, request)).json();
}

const secretHeaders = { Authorization: 'Bearer t', 'X-Api-Key': 'k', Accept: 'application/json' };

test('a redirect to the same server keeps the headers, to another only the harmless ones', async ({ serve, open }) => {
  const kept = await redirectTo({ serve, open }, 'same', 302, { headers: secretHeaders });
  expect(kept).toMatchObject({ headers: { authorization: 'Bearer t', 'x-api-key': 'k', accept: 'application/json' } });
  const dropped = (await redirectTo({ serve, open }, 'other', 302, { headers: secretHeaders })) as { headers: object };
  expect(Object.keys(dropped.headers).sort()).toEqual(['accept', 'connection', 'host', 'user-agent']);
});

test.for([
  [301, 'POST', 'GET', ''],
  [302, 'POST', 'GET', ''],
  [303, 'PUT', 'GET', ''],
  [302, 'PUT', 'PUT', 'body'],
  [307, 'POST', 'POST', 'body'],
  [308, 'POST', 'POST', 'body'],
] as const)('after %d a %s becomes a %s', async ([status, method, expected, body], { serve, open }) => {
  const request = { method, body: 'body', headers: { 'Content-Type': 'text/plain' } };
  const seen = (await redirectTo({ serve, open }, 'same', status, request)) as { headers: object };
  expect(seen).toMatchObject({ method: expected, body });
  expect('content-type' in seen.headers).toBe(body !== '');
});

test('a body is not taken to another server', async ({ serve, open }) => {
  const call = redirectTo({ serve, open }, 'other', 307, { method: 'POST', body: 'client_secret=hunter2' });
  expect((await failure(call)).reason).toBe('redirect');
});

const hop: Hop = { url: new URL('https://a.example/x'), method: 'GET', headers: {}, body: null };

test('a redirect from https to http is refused, the other way it is followed', () => {
  expect(() => followRedirect(hop, 302, 'http://a.example/y')).toThrow('a.example redirects to an unencrypted address');
  const plain = { ...hop, url: new URL('http://a.example/x') };
  expect(followRedirect(plain, 302, 'https://a.example/y').url.href).toBe('https://a.example/y');
});

test('a redirect without an address is refused', () => {
  expect(() => followRedirect(hop, 302, undefined)).toThrow('a.example redirects without a usable address');
});

test('another port or scheme is another origin', () => {
  const authorized = { ...hop, headers: { authorization: 'Bearer t' } };
  expect(followRedirect(authorized, 302, 'https://a.example:444/').headers).toEqual({});
  expect(followRedirect(authorized, 302, 'https://a.example:443/').headers).toEqual({ authorization: 'Bearer t' });
});

test('HEAD stays HEAD', () => {
  expect(followRedirect({ ...hop, method: 'HEAD' }, 303, '/y').method).toBe('HEAD');
});
