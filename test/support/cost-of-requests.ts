import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { TestServer } from './server.ts';

/** Bytes for the LDAP server, after a bind that they may have rights by. */
interface LdapSent {
  readonly bind: Buffer | null;
  readonly bytes: Buffer;
}

interface HttpSent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export type Sent = HttpSent | LdapSent;

export function spentMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

let senders = 0;

/** Sends a request from an address of its own, so that no limit by network spares the work. */
function sendHttp(server: TestServer, { method, path, headers, body }: HttpSent): Promise<number> {
  const bytes = body === undefined ? undefined : Buffer.from(body);
  senders += 1;
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      new URL(server.url),
      {
        method,
        path,
        // Addresses in redirects grow by what they are encoded to.
        maxHeaderSize: 1_000_000,
        headers: {
          'x-forwarded-for': `10.${(senders >> 16) & 255}.${(senders >> 8) & 255}.${senders & 255}`,
          ...headers,
          ...(bytes && { 'content-length': bytes.length }),
        },
      },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode ?? 0));
        answer.on('error', reject);
      },
    );
    sent.on('error', (error: NodeJS.ErrnoException) =>
      // The server does not read to the end what it refuses.
      ['EPIPE', 'ECONNRESET'].includes(error.code ?? '') ? resolve(0) : reject(error),
    );
    sent.end(bytes);
  });
}

/** Connects to the LDAP server, binds, and sends bytes. Gives what it costs from then on. */
function sendLdap(server: TestServer, { bind, bytes }: LdapSent): Promise<number> {
  const { hostname, port } = new URL(server.listening.LDAP ?? '');
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let before: NodeJS.CpuUsage | undefined;
    let last = 0;
    // The end of an answer of many entries is not told apart from its beginning: a quiet moment ends it.
    const isQuiet = setInterval(() => {
      if (before && performance.now() - last > 100) done();
    }, 20);
    const begin = () => {
      before = process.threadCpuUsage();
      last = performance.now();
      socket.write(bytes);
    };
    function done(): void {
      clearInterval(isQuiet);
      socket.destroy();
      resolve(before ? spentMs(before) : 0);
    }
    socket.on('connect', () => (bind ? socket.write(bind) : begin()));
    socket.on('data', () => {
      if (!before) return begin();
      last = performance.now();
    });
    socket.on('close', done);
    socket.on('error', (error: NodeJS.ErrnoException) =>
      ['EPIPE', 'ECONNRESET'].includes(error.code ?? '') ? done() : reject(error),
    );
  });
}

/** The processor time that a request takes. */
export async function costOf(server: TestServer, sent: Sent): Promise<number> {
  if ('bytes' in sent) return sendLdap(server, sent);
  const before = process.threadCpuUsage();
  await sendHttp(server, sent);
  return spentMs(before);
}

/** How much slower this machine is now than where this takes 70 ms. */
export function slowness(): number {
  const before = process.threadCpuUsage();
  JSON.parse(JSON.stringify(Array.from({ length: 50_000 }, (_, at) => ({ at, text: `k${at}` })))).sort(
    (one: { text: string }, other: { text: string }) => other.text.localeCompare(one.text, 'en'),
  );
  return Math.max(1, spentMs(before) / 70);
}
