import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { generateCertificate } from '../../lib/certificate/generate-certificate.ts';
import { parseCidrs } from '../../lib/cidr.ts';
import { failure, readAll, test } from './local-servers.fixture.ts';
import { OutboundError } from './outbound-error.ts';

const nowhere = parseCidrs([]);

test('a call in an allowed range brings status, headers and body', async ({ serve, open }) => {
  const port = await serve(async (request, response) => {
    const seen = { method: request.method, url: request.url, headers: request.headers, body: await readAll(request) };
    response.writeHead(201, { 'X-One': 'a', 'x-two': ['b', 'c'] }).end(JSON.stringify(seen));
  });
  const answer = await open()(`http://127.0.0.1:${port}/a%20b?q=1#f`, {
    method: 'POST',
    headers: { Authorization: 'Bearer t', 'Content-Type': 'text/plain' },
    body: 'grüße',
  });
  expect(answer.status).toBe(201);
  expect(answer.headers).toMatchObject({ 'x-one': 'a', 'x-two': 'b, c' });
  expect(answer.json()).toMatchObject({
    method: 'POST',
    url: '/a%20b?q=1',
    body: 'grüße',
    headers: {
      authorization: 'Bearer t',
      'content-type': 'text/plain',
      host: `127.0.0.1:${port}`,
      'user-agent': 'gatehouse',
    },
  });
  expect(JSON.parse(answer.text())).toEqual(answer.json());
});

test('RFC 9110 §12.5.3: no content coding is asked for, since a server may choose any otherwise', async ({
  serve,
  open,
}) => {
  const port = await serve((request, response) => {
    const isAllowed = request.headers['accept-encoding'] !== 'identity';
    const body = Buffer.from('{"a":1}');
    response.writeHead(200, isAllowed ? { 'content-encoding': 'gzip' } : {}).end(isAllowed ? gzipSync(body) : body);
  });
  expect((await open()(`http://127.0.0.1:${port}/`)).json()).toEqual({ a: 1 });
});

test('an answer that is not JSON is text, and a failure of its own as JSON', async ({ serve, open }) => {
  const port = await serve((_, response) => response.writeHead(500).end('secret <html>'));
  const answer = await open()(`http://127.0.0.1:${port}/`);
  expect(answer.status).toBe(500);
  expect(answer.text()).toBe('secret <html>');
  expect(() => answer.json()).toThrow(OutboundError);
  expect(() => answer.json()).toThrow(`the answer of 127.0.0.1:${port} is not JSON`);
});

test.for([
  ['lists', '['.repeat(50_000) + ']'.repeat(50_000)],
  ['objects', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
])('JSON of deeply nested %s is a failure of its own', async ([, body], { serve, open }) => {
  const port = await serve((_, response) => response.end(`{"keys":[${body}]}`));
  const answer = await open()(`http://127.0.0.1:${port}/`);
  expect(() => answer.json()).toThrow(OutboundError);
  expect(() => answer.json()).toThrow(`the answer of 127.0.0.1:${port} is nested too deeply`);
});

test('JSON that is not UTF-8 is none: other bytes would become one letter', async ({ serve, open }) => {
  const port = await serve((_, response) => response.end(Buffer.from('{"sub":"a\xff"}', 'latin1')));
  const answer = await open()(`http://127.0.0.1:${port}/`);
  expect(() => answer.json()).toThrow(`the answer of 127.0.0.1:${port} is not JSON`);
});

test('JSON may begin with a byte order mark', async ({ serve, open }) => {
  const port = await serve((_, response) => response.end('\ufeff{"sub":"é"}'));
  expect((await open()(`http://127.0.0.1:${port}/`)).json()).toEqual({ sub: 'é' });
});

test.for([
  'http://127.0.0.1',
  'http://127.9.9.9',
  'http://localhost',
  'http://LOCALHOST',
  'http://[::1]',
  'http://[::ffff:127.0.0.1]',
  'http://[::ffff:7f00:1]',
  'http://[64:ff9b::7f00:1]',
  'http://[2002:7f00:1::]',
  'http://2130706433',
  'http://0x7f000001',
  'http://0177.0.0.1',
  'http://0x7f.1',
  'http://127.1',
  'http://127.0.0.1.',
  'http://①②⑦.0.0.1',
  'http://0.0.0.0',
  'http://0',
  'http://[::]',
  'http://169.254.169.254',
  'http://[fe80::1]',
  'http://[fd00::1]',
  'http://10.0.0.1',
  'http://100.64.0.1',
  'http://172.16.0.1',
  'http://192.168.0.1',
  'http://224.0.0.1',
  'http://255.255.255.255',
  'https://127.0.0.1',
  'https://localhost',
  'https://[::1]',
])('%s is out of reach unless it is allowed', async (origin, { serve, open }) => {
  let calls = 0;
  const port = await serve((_, response) => {
    calls++;
    response.end();
  });
  const error = await failure(open({ allow: nowhere })(`${origin}:${port}/secret-path`));
  expect(error.reason).toBe('blocked');
  expect(error.message).toContain('GATEHOUSE_OUTBOUND_ALLOW');
  expect(error.message).not.toContain('secret-path');
  expect(calls).toBe(0);
});

test('allowing one address range allows no other', async ({ serve, open }) => {
  const port = await serve((_, response) => response.end('in'));
  const call = open();
  for (const spelling of ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]']) {
    expect((await call(`http://${spelling}:${port}/`)).text()).toBe('in');
  }
  expect((await failure(call(`http://[::1]:${port}/`))).reason).toBe('blocked');
  expect((await failure(call('http://169.254.169.254/latest/meta-data/'))).reason).toBe('blocked');
});

test('::1 is reached when it is allowed', async ({ listen, open, skip }) => {
  const server = createServer((_, response) => response.end('six'));
  const port = await listen(server, '::1').catch(() => skip('this machine has no IPv6'));
  expect((await open({ allow: parseCidrs(['::1']) })(`http://[::1]:${port}/`)).text()).toBe('six');
});

test('the address is checked for each connection, and the checked one is used (DNS rebinding)', async ({
  serve,
  open,
}) => {
  const port = await serve((_, response) => response.writeHead(200, { connection: 'close' }).end('ok'));
  const resolved = ['127.0.0.1', '169.254.169.254'];
  let lookups = 0;
  const call = open({ lookup: async () => [{ address: resolved[lookups++] ?? '10.0.0.1', family: 4 }] });
  expect((await call(`http://rebind.example:${port}/`)).text()).toBe('ok');
  expect(lookups).toBe(1);
  expect((await failure(call(`http://rebind.example:${port}/`))).reason).toBe('blocked');
  expect(lookups).toBe(2);
});

test('of several addresses only those allowed are tried', async ({ serve, open }) => {
  const port = await serve((_, response) => response.end('ok'));
  const addresses = [
    { address: '10.255.255.1', family: 4 },
    { address: 'fd00::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ];
  expect((await open({ lookup: async () => addresses })(`http://mixed.example:${port}/`)).text()).toBe('ok');
  const blocked = open({ lookup: async () => addresses.slice(0, 2) });
  expect((await failure(blocked(`http://mixed.example:${port}/`))).reason).toBe('blocked');
});

test('a name that does not exist is unreachable', async ({ open }) => {
  const missing = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  const error = await failure(open({ lookup: () => Promise.reject(missing) })('http://missing.example/secret-path'));
  expect(error).toMatchObject({
    reason: 'unreachable',
    message: 'missing.example cannot be reached: there is no such name',
  });
});

test.for([
  '',
  'example.com',
  '/path',
  'ftp://example.com/',
  'file:///etc/passwd',
  'data:text/plain,x',
  'gopher://127.0.0.1:6379/_',
  'http://',
  'http://user@example.com/',
  'http://user:hunter2@example.com/',
  'http://:hunter2@example.com/',
  'http://256.256.256.256/',
  'http://exa mple.com/',
])('%j is no URL to call', async (url, { open }) => {
  const error = await failure(open()(url));
  expect(error.reason).toBe('bad-url');
  expect(error.message).not.toContain('hunter2');
  expect(error.cause).toBeUndefined();
});

test('a header that cannot be written is refused without telling it', async ({ serve, open }) => {
  const port = await serve((_, response) => response.end());
  const error = await failure(open()(`http://127.0.0.1:${port}/`, { headers: { 'x-key': 'hunter2\r\nhost: evil' } }));
  expect(error.reason).toBe('bad-url');
  expect(`${error.message} ${error.cause}`).not.toContain('hunter2');
});

test('an untrusted certificate is not accepted', async ({ listen, open }) => {
  const names = { commonName: 'localhost', subjectAltNames: ['localhost'] };
  const { certificate, key } = await generateCertificate({ ...names, validityDays: 1, algorithm: 'ecdsa' });
  const port = await listen(createSecureServer({ cert: certificate, key }, (_, response) => response.end()));
  const error = await failure(open()(`https://localhost:${port}/`));
  expect(error.reason).toBe('unreachable');
  expect(error.message).toContain('its certificate is not signed by an authority that this server trusts');
});

test.for([
  ['a certificate of ours', { requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' }],
  ['another cipher', { ciphers: 'ECDHE-RSA-AES128-GCM-SHA256', maxVersion: 'TLSv1.2' }],
] as const)('a server that wants %s is not said to speak no TLS', async ([, options], { listen, open }) => {
  const names = { commonName: 'localhost', subjectAltNames: ['localhost'] };
  const { certificate, key } = await generateCertificate({ ...names, validityDays: 1, algorithm: 'ecdsa' });
  const port = await listen(createSecureServer({ cert: certificate, key, ...options }, (_, answer) => answer.end()));
  const error = await failure(open({ tls: { ca: certificate } })(`https://localhost:${port}/`));
  expect(error.message).toContain('it refuses the TLS version, the ciphers or the certificate of this server');
});

test('calls fail after the guarded fetch is closed', async ({ serve, open }) => {
  const port = await serve((_, response) => response.end());
  const call = open();
  await call(`http://127.0.0.1:${port}/`);
  await call.close();
  expect((await failure(call(`http://127.0.0.1:${port}/`))).reason).toBe('unreachable');
});
