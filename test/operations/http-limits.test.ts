import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createServer, type HttpServer } from '../../src/platform/http/server.ts';
import { createLog } from '../../src/platform/log.ts';
import { adminToken, describeOnSqlite, startServer, type TestServer } from '../support/server.ts';
import { type RawConnection, rawConnection } from './raw-connection.ts';

const securityHeaders = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-frame-options',
];

describeOnSqlite('every HTTP answer', (server) => {
  test('carries the security headers and a request id of its own', async () => {
    const { admin, nobody } = server();
    const answers = [
      await admin.get('/core/users/'),
      await nobody.get('/core/users/'),
      await admin.get('/core/users/4711/'),
      await admin.post('/core/groups/', '{"name":'),
      await admin.get('/no/such/thing/'),
      await admin.send('GET', '/-/health/live/'),
      await nobody.send('GET', '/-/metrics'),
      await nobody.send('GET', '/application/nothing/'),
      await admin.send('PROPFIND', '/core/users/'),
      await admin.get('/schema/'),
    ];
    for (const { headers } of answers) {
      for (const name of securityHeaders) expect(headers.get(name)).toBeTruthy();
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
      expect(headers.get('server')).toBeNull();
      expect(headers.get('x-powered-by')).toBeNull();
    }
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(answers.length);
  });

  test('of the API forbids caching', async () => {
    const { headers } = await server().admin.get('/core/users/');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('ignores a request id sent by the caller', async () => {
    const given = 'f'.repeat(32);
    const { headers } = await server().admin.get('/core/users/', { 'x-request-id': given, 'request-id': given });
    expect(headers.get('x-request-id')).not.toBe(given);
  });
});

describeOnSqlite('a malformed HTTP request', (server) => {
  test.each<[string, string, number]>([
    ['a broken escape in the path', '/api/v3/core/users/%zz/', 400],
    ['a broken escape outside the API', '/%', 400],
    ['half an escape', '/api/v3/core/groups/%E0%A4/', 400],
    ['an escaped zero', '/api/v3/core/groups/%00/', 404],
    ['a broken escape in the query', '/api/v3/core/users/?search=%zz', 200],
    ['an escaped slash', '/api/v3/core/users%2F1/', 404],
    ['a very long path', `/api/v3/core/users/${'9'.repeat(7000)}/`, 404],
    ['a very long query', `/api/v3/core/users/?search=${'x'.repeat(7000)}`, 200],
    ['dots', '/api/v3/../../../../etc/passwd', 404],
    ['a name of a property', '/api/v3/core/users/__proto__/', 404],
    ['no path', '//', 404],
  ])('for %s is answered without a server error', async (_, path, expected) => {
    const connection = await rawConnection(server().url);
    connection.write(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`,
    );
    const answer = await connection.closed();
    expect(statusOf(answer)).toBe(expected);
    for (const name of securityHeaders) expect(answer.toLowerCase()).toContain(`\r\n${name}: `);
  });

  test.each<[string, string, number]>([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['a header without a colon', 'GET / HTTP/1.1\r\nbroken\r\n\r\n', 400],
    ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a broken chunk', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    ['huge headers', `GET / HTTP/1.1\r\nHost: x\r\nX-Much: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['very many headers', `GET / HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(5_000)}\r\n`, 431],
  ])('with %s is refused as JSON, and the connection is closed', async (_, text, expected) => {
    const connection = await rawConnection(server().url);
    connection.write(text);
    const answer = await connection.closed();
    expect(statusOf(answer)).toBe(expected);
    if (text.startsWith('GET / HTTP/1.1\r\nConnection')) return;
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
      detail: expect.any(String),
      code: expected === 431 ? 'headers_too_large' : 'bad_request',
    });
    for (const name of securityHeaders) expect(answer.toLowerCase()).toContain(`\r\n${name}: `);
  });

  test.each([
    ['half a document', '{"name":'],
    ['no document', 'name=ada'],
    ['bytes that are no text', Uint8Array.from([0xff, 0xfe, 0x00, 0x80])],
    ['a deep document', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    ['a list', '[]'],
    ['a number', '7'],
    ['null', 'null'],
    ['a text', '"ada"'],
    ['a prototype', '{"__proto__":{"name":"x"},"constructor":{"prototype":{}}}'],
  ])('with %s as its body is answered 400', async (_, body) => {
    const answer = await server().admin.post('/core/groups/', body, { 'content-type': 'application/json' });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(expect.any(Object));
  });
});

describeOnSqlite('the limit on body sizes', (server) => {
  test('refuses a body that is too large by its declared length and by its bytes', async () => {
    const large = JSON.stringify({ name: 'x'.repeat(2 * 1024 * 1024) });
    const answer = await server().admin.post('/core/groups/', large, { 'content-type': 'application/json' });
    expect(answer.status).toBe(413);
    expect(answer.body).toEqual({ detail: 'The request body is too large.', code: 'payload_too_large' });

    const connection = await rawConnection(server().url);
    connection.write('POST /api/v3/core/groups/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    for (let sent = 0; sent < 40; sent++) connection.write(chunk);
    await connection.until(/^HTTP\/1\.1 413 /);
    connection.socket.destroy();
  });

  test('accepts a body just below the limit', async () => {
    const attributes = { text: 'x'.repeat(1024 * 1024) };
    const { status } = await server().admin.post('/core/groups/', { name: 'large', attributes });
    expect(status).toBe(201);
  });
});

describe('a slow sender', () => {
  let app: HttpServer;
  let url: string;
  beforeAll(async () => {
    app = createServer({ log: createLog({ level: 'silent' }), trustedProxies: [], requestTimeoutMs: 400 });
    app.routes.on(['POST'], '/', async () => ({ status: 200 }));
    url = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => app.close());

  test.each<[string, string]>([
    ['the headers never end', 'POST / HTTP/1.1\r\nHost: x\r\nX-Slow: '],
    ['the body never ends', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{'],
  ])('loses the connection: %s', async (_, text) => {
    const connections = await Promise.all(Array.from({ length: 50 }, () => rawConnection(url)));
    for (const connection of connections) connection.write(text);
    const trickle = setInterval(() => {
      for (const connection of connections) connection.write('a');
    }, 50);
    const answers = await Promise.all(connections.map((connection) => connection.closed()));
    clearInterval(trickle);
    for (const answer of answers.filter(Boolean))
      expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/);
    expect(answers.filter(Boolean).length).toBeGreaterThan(0);
  });

  test('loses the connection when it sends nothing at all', async () => {
    const connection = await rawConnection(url);
    await connection.closed();
  });

  test('does not delay answers to others', async () => {
    const slow = await Promise.all(Array.from({ length: 200 }, () => rawConnection(url)));
    for (const connection of slow) connection.write('POST / HTTP/1.1\r\n');
    const response = await fetch(url, { method: 'POST' });
    expect(response.status).toBe(200);
    for (const connection of slow) connection.socket.destroy();
  });
});

describe('slow readers of large answers', () => {
  const megabyte = 1024 * 1024;
  const size = 24 * megabyte;
  let app: HttpServer;
  let url: string;
  beforeAll(async () => {
    app = createServer({ log: createLog({ level: 'silent' }), trustedProxies: [], maxUnreadBytes: 3 * size });
    app.routes.on(['GET'], '/large', async () => ({ status: 200, body: 'x'.repeat(size) }));
    url = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => app.close());

  test('lose the connection, the slowest first, when too much waits for them', async () => {
    const readers: RawConnection[] = [];
    for (let count = 0; count < 5; count++) {
      const reader = await rawConnection(url);
      readers.push(reader);
      reader.write('GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      await reader.until(/^HTTP\/1\.1 200 /);
      reader.socket.pause();
    }
    for (const { socket } of readers) socket.resume();
    const answers = await Promise.all(readers.map((reader) => reader.closed()));
    expect(answers.map(({ length }) => length > size)).toEqual([false, false, true, true, true]);
  });
});

describe('callers who are not signed in', () => {
  let server: TestServer;
  // Each test uses up what there is.
  beforeEach(async () => {
    server = await startServer('sqlite');
  });
  afterEach(() => server.close());

  test('share one rate limit per address with callers whose token is wrong; signed-in callers have none', async () => {
    const { nobody, admin, as } = server;
    const user = await server.user(['svc_core.view_group']);
    const first = await Promise.all(Array.from({ length: 500 }, () => nobody.get('/core/groups/')));
    expect(new Set(first.map(({ status }) => status))).toEqual(new Set([403]));
    const wrong = await Promise.all(Array.from({ length: 500 }, () => as('guessed').get('/core/groups/')));
    expect(new Set(wrong.map(({ status }) => status))).toEqual(new Set([403]));

    for (const api of [nobody, as('guessed again'), as('')]) {
      const { status, headers, body } = await api.get('/core/groups/');
      expect(status).toBe(429);
      const seconds = Number(headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(body).toEqual({
        detail: expect.stringMatching(/^Request was throttled\. Expected available in \d+ seconds?\.$/),
        code: 'throttled',
      });
    }
    // A forwarded address of one's own choice is no way out.
    expect((await nobody.get('/core/groups/', { 'x-forwarded-for': '203.0.113.9' })).status).toBe(429);
    for (const api of [admin, user.api]) expect((await api.get('/core/groups/')).status).toBe(200);
    expect((await nobody.send('GET', '/-/health/live/')).status).toBe(200);
  });
});

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+) /.exec(answer)?.[1]);
