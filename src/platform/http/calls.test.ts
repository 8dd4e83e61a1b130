import { afterAll, beforeAll, expect, test } from 'vitest';
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
  const { calls, pages } = server;
  calls.on(['GET', 'HEAD', 'POST'], '/calls/text', async ({ body }) => ({ status: 200, body: `grüß dich ${body}` }));
  calls.on(['GET'], '/calls/:name/of/:other', async ({ params }) => ({ status: 200, body: JSON.stringify(params) }));
  calls.on(['DELETE'], '/calls/text', async () => ({ status: 204 }));
  calls.on(['GET'], '/calls/refused', async () => {
    throw new Problem('throttled', undefined, { 'retry-after': '7' });
  });
  calls.on(['GET'], '/calls/broken', async () => {
    throw new Error('a secret of the inside');
  });
  calls.on(['GET'], '/calls/unsendable', async () => ({ status: 200, headers: { location: 'a\r\nb: c' }, body: '' }));
  calls.on(['POST'], '/calls/upload', async ({ raw }) => {
    const { bytes, fields } = await readUpload(raw);
    return { status: 200, body: JSON.stringify({ bytes: bytes.length, fields }) };
  });
  pages.get('/*', async () => 'a page');
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
  ['GET', '/elsewhere'],
  ['GET', '/calls/nothing'],
  ['GET', '/calls/upload'],
])('%s %s is no call, so the pages get it', async (method, path) => {
  expect(await (await ask(path, { method })).text()).toBe('a page');
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
])('%s is no upload', async (_, type, body, status) => {
  expect((await ask('/calls/upload', { method: 'POST', headers: { 'content-type': type }, body })).status).toBe(status);
});

test('a file that is too large is refused', async () => {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(5 * 1024 * 1024 + 1)]), 'large');
  const answer = await ask('/calls/upload', { method: 'POST', body: form });
  expect(answer.status).toBe(413);
});

test('a request within the process takes the same way', async () => {
  const answer = await server.inject({ method: 'POST', url: '/calls/text', payload: 'ada' });
  expect([answer.statusCode, answer.body]).toEqual([200, 'grüß dich ada']);
  expect((await server.inject({ url: '/elsewhere' })).body).toBe('a page');
});
