import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { parseCidrs } from '../../lib/cidr.ts';
import { createUpstreams, type Upstream, UpstreamError } from './upstream.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle);
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
