import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { openBrowser } from '../support/flow-client.ts';
import { makeWalk } from '../support/make-walk.ts';
import { describeOnSqlite } from '../support/server.ts';
import { loopbackAllowed } from '../support/service.ts';
import { signedInBrowser } from '../support/signed-in-browser.ts';

const secret = 'hunter2';
const words = 'the-words-of-the-peer';
const bomb = gzipSync(Buffer.alloc(50_000_000));
const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;

/** What a peer writes after a request; all but the drips end at once. */
const peers: Readonly<Record<string, (socket: Socket) => void>> = {
  'endless headers': (socket) => pour(socket, 'HTTP/1.1 200 OK\r\n', `x-${words}: ${'x'.repeat(1_000)}\r\n`),
  'endless interim answers': (socket) => pour(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  'an endless body': (socket) => pour(socket, head('Transfer-Encoding: chunked'), `400\r\n${'x'.repeat(1_024)}\r\n`),
  'a bomb of zeros': (socket) => {
    socket.write(head('Connection: close', 'Content-Encoding: gzip', `Content-Length: ${bomb.length}`));
    socket.write(bomb);
  },
  'less than it said': (socket) => socket.end(`${head('Content-Length: 1000')}{"success":true`),
  'two lengths': (socket) => socket.end(`${head('Content-Length: 2', 'Content-Length: 16')}{"success":true}`),
  'a length and chunks': (socket) =>
    socket.end(`${head('Content-Length: 4', 'Transfer-Encoding: chunked')}f\r\n{"success":tru\r\n0\r\n\r\n`),
  'another protocol': (socket) =>
    socket.end(`HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: ${words}\r\n\r\n`),
  HTML: (socket) => socket.end(`${head('Content-Type: text/html')}<h1>${words}</h1>`),
  'a list': (socket) => socket.end(`${head()}["${words}"]`),
  'deep JSON': (socket) => socket.end(`${head()}${'{"success":'.repeat(5_000)}true${'}'.repeat(5_000)}`),
  'bytes that are no text': (socket) => socket.end(Buffer.from(`${head()}{"success":true,"a":"\xff"}`, 'latin1')),
  'another type': (socket) => socket.end(`${head()}{"success":"true","stat":["OK"],"response":7}`),
  'a redirect to itself': (socket) => socket.end('HTTP/1.1 307 Go\r\nLocation: /?again\r\nContent-Length: 0\r\n\r\n'),
  'a redirect to the metadata of clouds': (socket) =>
    socket.end('HTTP/1.1 302 Go\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n'),
  'a cut': (socket) => socket.resetAndDestroy(),
};

function pour(socket: Socket, first: string, piece: string): void {
  socket.write(first);
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', more);
  more();
}

let current = 'a cut';
const open = new Set<Socket>();
const server = createServer((socket) => {
  open.add(socket.on('error', () => {}).on('close', () => open.delete(socket)));
  socket.once('data', () => peers[current]?.(socket));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => {
  for (const socket of open) socket.destroy();
  server.close();
});

const lines: string[] = [];
const log = createLog({ level: 'debug', stream: { write: (line) => void lines.push(line) } });

describeOnSqlite(
  'hostile responses of identity providers and services',
  (gatehouse) => {
    test.each(Object.keys(peers))('%s: people go no further, and secrets stay', async (peer) => {
      current = peer;
      const { admin } = gatehouse();
      const keys = { public_key: 'x', private_key: secret, js_url: 'https://captcha.example.com/api.js' };
      const captcha = await makeWalk(gatehouse(), [['captcha', { ...keys, api_url: `${origin}/${secret}` }]]);
      const anybody = openBrowser(gatehouse());
      await anybody.show(captcha.slug);
      const solved = await anybody.answer(captcha.slug, { token: secret });
      expect([solved.status, solved.body.response_errors?.token?.length]).toEqual([200, 1]);

      const user = await gatehouse().user();
      const browser = await signedInBrowser(gatehouse(), user.pk);
      const push = { client_id: 'x', client_secret: secret, api_hostname: origin };
      const pushed = await makeWalk(gatehouse(), [['authenticator/twofactor', push]]);
      const refused = await browser.show(pushed.slug);
      expect([refused.status, refused.body.component]).toEqual([200, 'xak-stage-access-denied']);

      const hook = await admin.post('/events/transports/', {
        name: `${peer} ${captcha.slug}`,
        mode: 'webhook',
        webhook_url: `${origin}/${secret}?${secret}=1`,
      });
      const told = await admin.post(`/events/transports/${hook.body.pk}/test/`);
      expect([200, 400]).toContain(told.status);

      const shown = JSON.stringify([solved.body, refused.body, told.body]);
      expect(shown).not.toMatch(new RegExp(`${secret}|${words}|169.254|\\bat .*:\\d+:\\d+|undici|[A-Z]_ERR_|ECONN`));
      await expect.poll(() => open.size).toBe(0);
    });

    test('none of it is in the log or in events', async () => {
      expect(lines.filter((line) => line.includes('request failed'))).toEqual([]);
      expect(lines.join('')).not.toMatch(new RegExp(`${secret}|${words}`));
      const { text } = await gatehouse().admin.get('/events/events/?action=configuration_error&page_size=100');
      expect(text).toContain('is not JSON');
      expect(text).not.toMatch(new RegExp(`${secret}|${words}|169.254`));
    });
  },
  { env: loopbackAllowed, log },
);
