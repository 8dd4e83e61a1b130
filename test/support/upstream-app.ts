import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export interface UpstreamApp {
  readonly port: number;
  readonly url: string;
  /** Every request that reached it, with the headers as they came. */
  readonly requests: readonly { readonly url: string; readonly headers: readonly string[]; readonly body: string }[];
  /** The connections that were opened to it. */
  readonly connections: number;
  /** The event streams and WebSockets that are open. */
  readonly streams: number;
  close(): Promise<void>;
}

const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/**
 * An application without a sign-in: a page, event streams, uploads, and a WebSocket that says everything back. Masked
 * frames of up to 125 bytes are all that its clients send.
 */
export async function startUpstreamApp(tls?: {
  readonly certificate: string;
  readonly key: string;
}): Promise<UpstreamApp> {
  const requests: { url: string; headers: string[]; body: string }[] = [];
  let connections = 0;
  let streams = 0;
  const sockets = new Set<Socket>();

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const seen = { url: request.url ?? '', headers: request.rawHeaders, body: '' };
    requests.push(seen);
    const { pathname, searchParams } = new URL(`http://x${request.url?.replace(/^\/+/, '/')}`);
    if (pathname === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: first\n\n');
      streams += 1;
      response.on('close', () => {
        streams -= 1;
      });
      return;
    }
    if (pathname === '/upload') {
      // Says back what comes, as it comes.
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      request.pipe(response);
      return;
    }
    if (pathname === '/hang') return;
    if (pathname === '/cut') return void request.socket.destroy();
    if (pathname === '/large-header') return void response.writeHead(200, { 'x-large': 'x'.repeat(40_000) }).end();
    if (pathname === '/no-http') return void request.socket.end('HTTP/1.1 two hundred\r\n\r\n');
    request.on('data', (chunk: Buffer) => {
      seen.body += chunk.toString('utf8');
    });
    request.on('end', () => {
      const status = Number(searchParams.get('status') ?? 200);
      const cookies = ['app=1; Path=/', 'second=2; Path=/', 'gatehouse_proxy_0123456789abcdef=stolen; Path=/'];
      response.writeHead(status, { 'content-type': 'text/html', 'set-cookie': cookies, 'x-app': 'Größe' });
      response.end(page);
    });
  }

  const server = tls ? createSecureServer({ cert: tls.certificate, key: tls.key }, answer) : createServer(answer);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    requests.push({ url: request.url ?? '', headers: request.rawHeaders, body: '' });
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${guid}`).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    streams += 1;
    socket.on('close', () => {
      streams -= 1;
    });
    socket.on('error', () => socket.destroy()).on('end', () => socket.end());
    socket.on('data', (frame: Buffer) => echo(socket, frame));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    get connections() {
      return connections;
    },
    get streams() {
      return streams;
    },
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => done());
      }),
  };
}

function echo(socket: Socket, frame: Buffer): void {
  const [first = 0, second = 0] = frame;
  const length = second & 0x7f;
  if ((first & 0x0f) === 8) return void socket.end(Buffer.from([0x88, 0]));
  const mask = frame.subarray(2, 6);
  const data = frame.subarray(6, 6 + length).map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  socket.write(Buffer.concat([Buffer.from([0x81, length]), data]));
}

/** Shows what the WebSocket says back. */
const page = `<!doctype html><link rel="icon" href="data:,"><h1>The application</h1><p id="said"></p>
<script>
const socket = new WebSocket(location.href.replace(/^http/, 'ws').replace(/[^/]*$/, 'echo'));
socket.onopen = () => socket.send('hello');
socket.onmessage = ({ data }) => { document.getElementById('said').textContent = 'It says ' + data; };
</script>`;
