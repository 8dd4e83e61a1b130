import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { parseCidrs } from '../../lib/cidr.ts';
import { createUpstreams, endToEnd, type Upstream, UpstreamError } from './upstream.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  // Upgrades are plain requests to it.
  const server = createServer({ shouldUpgradeCallback: () => false }, handle);
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const to = (origin: string): Upstream => ({
  origin: new URL(origin),
  verifiesCertificate: true,
  path: '/',
  headers: [['Host', 'app.example.com']],
  mayAnswer: () => true,
  until: new AbortController().signal,
});

/** A server of which this application is the upstream; what went wrong is its answer. */
async function proxyTo(origin: string, answerMs: number): Promise<string> {
  const upstreams = createUpstreams(parseCidrs([]), { answerMs });
  return listen((request, response) => {
    upstreams.forward(request, response, to(origin)).catch((error) => {
      response.end(error instanceof UpstreamError ? `${error.isTimeout ? 'timed out' : 'unreachable'}` : 'fault');
    });
  });
}

test('an application that does not answer in time is left', async () => {
  let isLeft = false;
  const silent = await listen((request) => {
    request.on('close', () => {
      isLeft = true;
    });
  });
  expect(await (await fetch(await proxyTo(silent, 100))).text()).toBe('timed out');
  await expect.poll(() => isLeft).toBe(true);
});

test('an application that answers in time may take longer for its response', async () => {
  const slow = await listen((_, response) => {
    response.write('first ');
    setTimeout(() => response.end('last'), 400);
  });
  expect(await (await fetch(await proxyTo(slow, 100))).text()).toBe('first last');
});

test('an upload that goes on is no silence', async () => {
  const app = await listen((request, response) => {
    request.resume().on('end', () => response.end('received'));
  });
  const body = new ReadableStream({
    async start(controller) {
      for (let at = 0; at < 6; at++) {
        controller.enqueue(new Uint8Array([at]));
        await new Promise((done) => setTimeout(done, 60));
      }
      controller.close();
    },
  });
  const answer = await fetch(await proxyTo(app, 200), { method: 'POST', body, duplex: 'half' });
  expect(await answer.text()).toBe('received');
});

test('a client hides no second request in the body of one', async () => {
  const seen: string[] = [];
  const app = await listen(({ method, url }, response) => {
    seen.push(`${method} ${url}`);
    response.end();
  });
  const upstreams = createUpstreams(parseCidrs([]));
  const passedOn = ({ rawHeaders, url = '/' }: IncomingMessage): Upstream => ({
    ...to(app),
    path: url,
    headers: endToEnd(rawHeaders),
  });
  const front = createServer((request, response) => void upstreams.forward(request, response, passedOn(request)));
  front.on('upgrade', (request, socket, head) => void upstreams.upgrade(request, socket, head, passedOn(request)));
  servers.push(front);
  await new Promise<void>((done) => front.listen(0, '127.0.0.1', done));

  const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
  const length = `Content-Length: ${hidden.length}`;
  const requests: readonly (readonly [string, ...string[]])[] = [
    ['GET', 'Connection: content-length', length],
    ['DELETE', 'Connection: keep-alive, Content-Length', length],
    ['POST', 'Connection: content-length', length],
    // The application takes these for plain requests, and answers.
    ['GET', 'Connection: Upgrade', 'Upgrade: x', length],
    ['GET', 'Connection: Upgrade, content-length', 'Upgrade: x', length],
    ['GET', 'X-Last: request'],
  ];
  for (const [method, ...lines] of requests) {
    const socket = connect((front.address() as AddressInfo).port, '127.0.0.1');
    const body = lines.includes(length) ? hidden : '';
    socket.write([`${method} / HTTP/1.1`, 'Host: x', ...lines, '', body].join('\r\n'));
    const [head] = await once(socket, 'data');
    expect([method, lines, String(head).slice(0, 12)]).toEqual([method, lines, 'HTTP/1.1 200']);
    socket.destroy();
  }
  expect(seen).toEqual(requests.map(([method]) => `${method} /`));
});
