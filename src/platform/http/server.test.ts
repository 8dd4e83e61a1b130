import { on } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Problem } from '../../lib/problem.ts';
import { createLog } from '../log.ts';
import { readUpload } from './read-upload.ts';
import { createServer, type HttpServer } from './server.ts';

const lines: string[] = [];
const log = createLog({ level: 'error', stream: { write: (line) => void lines.push(line) } });
let server: HttpServer;
let url: string;

beforeAll(async () => {
  server = createServer({ log, trustedProxies: [], bodyLimitBytes: 100 });
  const { routes } = server;
  routes.on(['GET', 'POST'], '/calls/text', async ({ body }) => ({ status: 200, body: `grüß dich ${body}` }));
  routes.on(['GET'], '/calls/{name}/of/{other}', async ({ params }) => ({ status: 200, body: JSON.stringify(params) }));
  routes.on(['DELETE'], '/calls/text', async () => ({ status: 204 }));
  routes.on(['GET'], '/calls/refused', async () => {
    throw new Problem('throttled', undefined, { 'retry-after': '7' });
  });
  routes.on(['GET'], '/calls/broken', async () => {
    throw new Error('a secret of the inside');
  });
  routes.on(['GET'], '/calls/unsendable', async () => ({ status: 200, headers: { location: 'a\r\nb: c' }, body: '' }));
  routes.on(['POST'], '/calls/upload', async ({ raw }) => {
    const { bytes, fields } = await readUpload(raw);
    return { status: 200, body: JSON.stringify({ bytes: bytes.length, fields }) };
  });
  routes.on(['GET'], '/calls/tree/*', async ({ params }) => ({ status: 200, body: params['*'] ?? '' }));
  routes.on(['GET', 'POST'], '/calls/slash/{name}/', async () => ({ status: 200, body: 'with a slash' }));
  url = await server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());

const ask = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init);

test('a call is answered with its length, and HEAD with the same headers and no body', async () => {
  const got = await ask('/calls/text');
  expect([got.status, got.headers.get('content-length'), await got.text()]).toEqual([200, '12', 'grüß dich ']);
  const head = await ask('/calls/text', { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '12', '']);
  const gone = await ask('/calls/text', { method: 'DELETE' });
  expect([gone.status, gone.headers.has('content-length')]).toEqual([204, false]);
});

test('parts of the path that vary are told, without their escapes', async () => {
  expect(await (await ask('/calls/a%2Fb/of/%C3%A4?x=1')).json()).toEqual({ name: 'a/b', other: 'ä' });
});

test.each([
  ['GET', '/elsewhere', 404],
  ['GET', '/calls/nothing', 404],
  ['GET', '/', 404],
  ['GET', '/calls/%zz/of/x', 400],
  ['GET', `/calls/${'x'.repeat(4_097)}/of/x`, 404],
])('%s %s has no route: %i', async (method, path, status) => {
  const answer = await ask(path, { method });
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'no-store']);
  expect(await answer.json()).toMatchObject({ code: status === 400 ? 'bad_request' : 'not_found' });
});

test('the rest of a path is passed on as it came', async () => {
  expect(await (await ask('/calls/tree/a%2Fb/c/?x=1')).text()).toBe('a%2Fb/c/');
  expect(await (await ask('/calls/tree/')).text()).toBe('');
});

test('another method is told which there are', async () => {
  const refused = await ask('/calls/upload', { method: 'PUT', body: 'x' });
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  expect(await refused.json()).toMatchObject({ code: 'method_not_allowed' });
  const options = await ask('/calls/text', { method: 'OPTIONS' });
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, POST, HEAD, DELETE, OPTIONS']);
});

test('reads without the last slash are led to the path with it, and keep their query', async () => {
  for (const method of ['GET', 'HEAD']) {
    const answer = await ask('/calls/slash/%C3%A4?b=%20&a=+', { method, redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([308, '/calls/slash/%C3%A4/?b=%20&a=+']);
  }
});

test('writes without the last slash are told the path with it', async () => {
  const answer = await ask('/calls/slash/x?a=1', { method: 'POST', body: 'x' });
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { detail: 'Not found. The path ends with a slash: /calls/slash/x/', code: 'not_found' },
  ]);
});

test('a route cannot be declared twice, nor with a variable in another spelling', () => {
  const { routes } = createServer({ log, trustedProxies: [] });
  const answer = async () => ({ status: 204 });
  routes.on(['GET'], '/a/{b}/', answer);
  expect(() => routes.on(['HEAD'], '/a/{b}/', answer)).toThrow('declared twice');
  expect(() => routes.on(['GET'], '/a/{c}/x/', answer)).toThrow('called b elsewhere');
  expect(() => routes.on(['GET'], '/a/:b/', answer)).toThrow('write variables as {name}');
});

test('a body arrives whole, up to the limit', async () => {
  const post = (body: string) => ask('/calls/text', { method: 'POST', body });
  expect(await (await post('ada')).text()).toBe('grüß dich ada');
  expect((await post('x'.repeat(100))).status).toBe(200);
  const tooLarge = await post('x'.repeat(101));
  expect([tooLarge.status, tooLarge.headers.get('connection')]).toEqual([413, 'close']);
  expect(await tooLarge.json()).toMatchObject({ code: 'payload_too_large' });
});

test('a refusal keeps its headers', async () => {
  const { status, headers } = await ask('/calls/refused');
  expect([status, headers.get('retry-after')]).toEqual([429, '7']);
});

test.each(['/calls/broken', '/calls/unsendable'])(
  '%s: a fault shows nothing of the inside, and is in the log',
  async (path) => {
    const answer = await ask(path);
    const id = answer.headers.get('x-request-id');
    expect(answer.status).toBe(500);
    expect(await answer.json()).toEqual({ detail: expect.any(String), code: 'internal_error', request_id: id });
    const line = lines.map((text) => JSON.parse(text)).find((each) => each.request_id === id);
    expect(line).toMatchObject({ level: 'error', req: { method: 'GET', url: path, ip: '127.0.0.1' }, err: {} });
  },
);

test('an upload has a file and fields, and no more than one file', async () => {
  const form = new FormData();
  form.set('clear', 'true');
  form.set('file', new Blob(['x'.repeat(3000)]), '../../name.png');
  const one = await ask('/calls/upload', { method: 'POST', body: form });
  expect(await one.json()).toEqual({ bytes: 3000, fields: { clear: 'true' } });
  form.append('other', new Blob(['y']), 'second');
  expect((await ask('/calls/upload', { method: 'POST', body: form })).status).toBe(413);
});

test.each([
  ['no upload', 'application/json', '{}', 415],
  ['no boundary', 'multipart/form-data', 'x', 400],
  ['half a form', 'multipart/form-data; boundary=b', '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1', 400],
  ['nothing', 'multipart/form-data; boundary=b', '', 400],
])('an upload is refused: %s', async (_, type, body, status) => {
  expect((await ask('/calls/upload', { method: 'POST', headers: { 'content-type': type }, body })).status).toBe(status);
});

test('a file that is too large is refused', async () => {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(5 * 1024 * 1024 + 1)]), 'large');
  const answer = await ask('/calls/upload', { method: 'POST', body: form });
  expect(answer.status).toBe(413);
});

test('each request leaves one line in the log, at info when it is refused, without secrets of its query', async () => {
  const seen: string[] = [];
  const debug = createLog({ level: 'debug', stream: { write: (line) => void seen.push(line) } });
  const other = createServer({ log: debug, trustedProxies: [] });
  other.routes.on(['GET'], '/here', async () => ({ status: 204 }));
  const at = await other.listen({ host: '127.0.0.1', port: 0 });
  await fetch(`${at}/here?token=hunter2`);
  await fetch(`${at}/here`, { method: 'POST', body: 'x' });
  await fetch(`${at}/elsewhere`);
  await other.close();
  const told = seen.map((line) => JSON.parse(line)).map(({ level, req, res }) => [level, req.url, res.status]);
  expect(told).toEqual([
    ['debug', '/here?token=[hidden]', 204],
    ['info', '/here', 405],
    ['info', '/elsewhere', 404],
  ]);
});

/** Sends this much of a request; `status` comes with the response. */
function sendRaw(at: string, text: string): { readonly socket: Socket; readonly status: Promise<number> } {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(at).port) });
  const status = new Promise<number>((resolve) => {
    socket.once('data', (data) => resolve(Number(String(data).slice(9, 12)))).on('error', () => resolve(0));
  });
  socket.write(text);
  return { socket, status };
}

test.each([
  ['one host', 'Host: x:9000', 200],
  ['an IPv6 address', 'Host: [::1]:9000', 200],
  ['no host to name', 'Host:', 200],
  ['two hosts', 'Host: x\r\nhost: evil.example', 400],
  ['the same host twice', 'Host: x\r\nHost: x', 400],
  ['none', 'X: x', 400],
  ['somebody at a host', 'Host: x@evil.example', 400],
  ['a path', 'Host: x/evil', 400],
  ['a list', 'Host: x, evil.example', 400],
  ['markup', 'Host: <b>', 400],
  ['a folded line', 'Host: x\r\n .evil.example', 400],
])('RFC 9112 §3.2: a request names its host once: %s', async (_, header, status) => {
  const { socket, status: told } = sendRaw(url, `GET /calls/text HTTP/1.1\r\n${header}\r\n\r\n`);
  expect(await told).toBe(status);
  socket.destroy();
});

test('requests sent ahead on one connection are answered in order, and a crowd of them closes it', async () => {
  const other = createServer({ log, trustedProxies: [] });
  let served = 0;
  other.routes.on(['GET'], '/here', async ({ facts }) => {
    served += 1;
    return { status: 200, body: `<${facts.query.get('n')}>` };
  });
  const at = await other.listen({ host: '127.0.0.1', port: 0 });
  const answersTo = async (count: number) => {
    const lines = Array.from({ length: count }, (_, n) => `GET /here?n=${n} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const { socket } = sendRaw(at, `${lines.join('')}GET /here HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    let got = '';
    socket.on('data', (data) => {
      got += String(data);
    });
    await new Promise((resolve) => socket.on('close', resolve));
    return [...got.matchAll(/<(\d+)>/g)].map(([, n]) => Number(n));
  };
  expect(await answersTo(16)).toEqual(Array.from({ length: 16 }, (_, n) => n));
  served = 0;
  await answersTo(1_000);
  expect(served).toBeLessThan(100);
  await other.close();
});

test('a connection serves as many requests as come one after another', async () => {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
  const answers = on(socket, 'data', { close: ['close'] });
  for (let count = 0; count < 100; count++) {
    socket.write('GET /calls/refused HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await answers.next()).toMatchObject({ done: false });
  }
  socket.destroy();
});

test('a request that takes too long is closed, and the log tells', async () => {
  const other: string[] = [];
  const slow = createServer({
    log: createLog({ level: 'warn', stream: { write: (line) => void other.push(line) } }),
    ...{ trustedProxies: [], requestTimeoutMs: 200 },
  });
  slow.routes.on(['GET'], '/never', () => new Promise(() => {}));
  const at = await slow.listen({ host: '127.0.0.1', port: 0 });
  await expect(fetch(`${at}/never?a=b`)).rejects.toThrow();
  expect(other.map((line) => JSON.parse(line))).toMatchObject([
    { req: { method: 'GET', url: '/never?a=b' }, msg: 'a request took too long: its connection is closed' },
  ]);
  await slow.close();
});

test('a body in crumbs is broken off', async () => {
  const other = createServer({ log, trustedProxies: [] });
  other.routes.on(['POST'], '/here', async () => ({ status: 200 }));
  const at = await other.listen({ host: '127.0.0.1', port: 0 });
  const head = 'POST /here HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
  const statusOf = (crumbs: number) => sendRaw(at, `${head}${'1\r\nx\r\n'.repeat(crumbs)}0\r\n\r\n`).status;
  expect([await statusOf(9_000), await statusOf(50_000)]).toEqual([200, 400]);
  await other.close();
});

test.each(['GET /here', 'POST /elsewhere'])('%s: an unread body is skipped, but not in crumbs', async (line) => {
  const other = createServer({ log, trustedProxies: [] });
  other.routes.on(['GET'], '/here', async () => ({ status: 200 }));
  const at = await other.listen({ host: '127.0.0.1', port: 0 });
  const head = `${line} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const next = 'GET /here HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const answersTo = async (piece: string, count: number) => {
    const { socket } = sendRaw(at, `${head}${piece.repeat(count)}0\r\n\r\n${next}`);
    let got = '';
    socket.on('data', (data) => {
      got += String(data);
    });
    await new Promise((resolve) => socket.on('close', resolve));
    return got.match(/HTTP\/1\.1 \d+/g)?.length;
  };
  const kilobytes = `400\r\n${'x'.repeat(1024)}\r\n`;
  expect([await answersTo(kilobytes, 5_000), await answersTo('1\r\nx\r\n', 200_000)]).toEqual([2, 1]);
  await other.close();
});

test('bodies that do not end are held up to a limit, which leaves room for short ones', async () => {
  const other = createServer({ log, trustedProxies: [] });
  other.routes.on(['POST'], '/here', async () => ({ status: 200 }));
  const at = await other.listen({ host: '127.0.0.1', port: 0 });
  const head = `POST /here HTTP/1.1\r\nHost: x\r\nContent-Length: ${2 * 1024 * 1024}\r\n\r\n`;
  let refused = 0;
  const sockets = Array.from({ length: 60 }, () => {
    const { socket, status } = sendRaw(at, head + 'x'.repeat(1024 * 1024));
    void status.then((told) => {
      if (told === 503) refused += 1;
    });
    return socket;
  });
  // 32 MB for a network.
  await vi.waitFor(() => expect(refused).toBeGreaterThanOrEqual(28), 10_000);
  const post = async (bytes: number) => (await fetch(`${at}/here`, { method: 'POST', body: 'x'.repeat(bytes) })).status;
  expect(await post(10_000)).toBe(200);
  for (const socket of sockets) socket.destroy();
  await vi.waitFor(async () => expect(await post(2 * 1024 * 1024)).toBe(200), 10_000);
  await other.close();
});
