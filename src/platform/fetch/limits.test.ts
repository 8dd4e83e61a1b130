import { createServer as createTcpServer } from 'node:net';
import { expect } from 'vitest';
import { failure, test } from './local-servers.fixture.ts';

test('slow headers end at the deadline', async ({ serve, open }) => {
  const port = await serve(() => {});
  expect((await failure(open()(`http://127.0.0.1:${port}/`, { timeoutMs: 150 }))).reason).toBe('timeout');
});

test('a body that drips ends at the deadline, however steadily it drips', async ({ serve, open }) => {
  const port = await serve((_, response) => {
    const timer = setInterval(() => response.write('.'), 20);
    response.on('close', () => clearInterval(timer));
  });
  const error = await failure(open({ timeoutMs: 250 })(`http://127.0.0.1:${port}/`));
  expect(error).toMatchObject({ reason: 'timeout', message: `127.0.0.1:${port} took too long to answer` });
});

test('a slow look-up of the name ends at the deadline', async ({ open }) => {
  const call = open({ timeoutMs: 150, lookup: () => new Promise(() => {}) });
  expect((await failure(call('http://slow.example/'))).reason).toBe('timeout');
});

test('a huge body is cut off while it streams', async ({ serve, open }) => {
  let sent = 0;
  let isClosed = false;
  const port = await serve((_, response) => {
    const push = (): void => {
      while (!isClosed && response.write(Buffer.alloc(65_536))) sent += 65_536;
    };
    response.on('drain', push).on('close', () => {
      isClosed = true;
    });
    push();
  });
  const error = await failure(open({ maxBytes: 100_000 })(`http://127.0.0.1:${port}/`));
  expect(error.reason).toBe('too-large');
  await expect.poll(() => isClosed).toBe(true);
  expect(sent).toBeLessThan(50_000_000);
});

test('a body in crumbs is cut off', async ({ listen, open }) => {
  const answer = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  const port = await listen(
    createTcpServer((socket) => {
      socket.on('error', () => {}).once('data', () => socket.end(`${answer}${'1\r\nx\r\n'.repeat(50_000)}0\r\n\r\n`));
    }),
  );
  expect((await failure(open()(`http://127.0.0.1:${port}/`))).reason).toBe('too-large');
});

test('a few interim answers are passed over, and without end they are cut off', async ({ listen, open }) => {
  let interim = 3;
  const port = await listen(
    createTcpServer((socket) => {
      const answers = `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(interim)}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`;
      socket.on('error', () => {}).once('data', () => socket.end(answers));
    }),
  );
  expect((await open()(`http://127.0.0.1:${port}/`)).text()).toBe('ok');
  interim = 100;
  const error = await failure(open()(`http://127.0.0.1:${port}/`));
  expect(error).toMatchObject({ reason: 'bad-answer', message: `127.0.0.1:${port} does not come to its answer` });
});

test('a body may be exactly as large as allowed', async ({ serve, open }) => {
  const port = await serve((_, response) => response.end('x'.repeat(1000)));
  const call = open({ maxBytes: 10 });
  expect((await call(`http://127.0.0.1:${port}/`, { maxBytes: 1000 })).text()).toHaveLength(1000);
  expect((await failure(call(`http://127.0.0.1:${port}/`, { maxBytes: 999 }))).reason).toBe('too-large');
  expect((await failure(call(`http://127.0.0.1:${port}/`))).reason).toBe('too-large');
  expect((await call(`http://127.0.0.1:${port}/`, { method: 'HEAD' })).text()).toBe('');
});

test('huge headers are refused', async ({ serve, open }) => {
  const port = await serve((_, response) => response.writeHead(200, { 'x-big': 'x'.repeat(100_000) }).end());
  expect((await failure(open()(`http://127.0.0.1:${port}/`))).reason).toBe('too-large');
});

test.for(['before the headers', 'in the body'])(
  'a connection reset %s is unreachable',
  async (when, { serve, open }) => {
    const port = await serve((request, response) => {
      if (when === 'in the body') response.writeHead(200, { 'content-length': 100 }).write('half');
      setTimeout(() => request.socket.resetAndDestroy(), 30);
    });
    expect((await failure(open()(`http://127.0.0.1:${port}/`))).reason).toBe('unreachable');
  },
);

test('a closed port and a server that does not speak HTTP are unreachable', async ({ listen, open }) => {
  const port = await listen(
    createTcpServer((socket) => socket.on('error', () => {}).end('220 mail.example ESMTP\r\n')),
  );
  expect((await failure(open()(`http://127.0.0.1:${port}/`))).reason).toBe('unreachable');
  expect(await failure(open()('http://127.0.0.1:1/'))).toMatchObject({
    reason: 'unreachable',
    message: '127.0.0.1:1 cannot be reached: it accepts no connections at this port',
  });
});
