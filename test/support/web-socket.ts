import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { cookiesOf, type ProtectedHost, type ProxiedBrowser } from './protected-host.ts';
import type { TestServer } from './server.ts';

/** Opens a WebSocket to a protected application as a trusted proxy does. Gives what comes first, and the socket. */
export async function openWebSocket(
  server: Pick<TestServer, 'url'>,
  { host }: Pick<ProtectedHost, 'host'>,
  browser: ProxiedBrowser | null,
): Promise<[string, Socket]> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  const cookie = browser ? cookiesOf(browser, host) : '';
  const lines = [
    ...['GET /echo HTTP/1.1', `Host: ${host}`, `X-Forwarded-Host: ${host}`, 'X-Forwarded-Proto: https'],
    ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    ...['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', `Cookie: ${cookie}`, 'Remote-User: admin', '', ''],
  ];
  socket.write(lines.join('\r\n'));
  const [head] = await once(socket, 'data');
  return [String(head), socket];
}

/** Sends a text of up to 125 bytes over a WebSocket, and gives what comes back. */
export async function echo(socket: Socket, text: string): Promise<string> {
  socket.write(Buffer.from([0x81, 0x80 + text.length, 0, 0, 0, 0, ...Buffer.from(text)]));
  const [frame] = await once(socket, 'data');
  return String(frame.subarray(2));
}
