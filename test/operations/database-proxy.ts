import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

export interface DatabaseProxy {
  /** The database's URL, by way of this proxy. */
  readonly url: string;
  /** The database goes away: open connections break, new ones are refused. */
  away(): void;
  /** The network swallows everything: connections stay open without a response. */
  silent(): void;
  /** Responses are kept back until the way is open again. */
  hold(): void;
  /** How many pieces of responses are being kept back. */
  readonly held: number;
  back(): void;
  close(): Promise<void>;
}

export interface ProxyOptions {
  /** Changes what is sent to the database. */
  readonly alter?: (chunk: Buffer) => Buffer;
  /** Responses arrive in pieces of this size; 0 for as they come. */
  readonly bytesAtATime?: number;
}

/** Stands between a server and its PostgreSQL, so that the way between them can be cut. */
export async function databaseProxy(
  databaseUrl: string,
  { alter = (chunk: Buffer) => chunk, bytesAtATime = 0 }: ProxyOptions = {},
): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const folder = target.searchParams.get('host');
  const port = Number(target.port || 5432);
  const reach = () => (folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(port, target.hostname));
  const sockets = new Set<Socket>();
  let state: 'open' | 'away' | 'silent' | 'held' = 'open';
  const held: (() => void)[] = [];

  const server = createServer((incoming) => {
    if (state === 'away') return void incoming.destroy();
    const outgoing = reach();
    const reply = bytesAtATime > 0 ? inPieces(incoming, bytesAtATime) : (chunk: Buffer) => incoming.write(chunk);
    const forward = (chunk: Buffer) => outgoing.write(alter(chunk));
    for (const [from, to, pass] of [
      [incoming, outgoing, forward],
      [outgoing, incoming, reply],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk: Buffer) => {
        if (state === 'held' && from === outgoing) held.push(() => pass(chunk));
        else if (state === 'open' || state === 'held') pass(chunk);
      });
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.search = '';
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    away() {
      state = 'away';
      breakAll();
    },
    silent() {
      state = 'silent';
    },
    hold() {
      state = 'held';
    },
    get held() {
      return held.length;
    },
    back() {
      state = 'open';
      for (const pass of held.splice(0)) pass();
    },
    close() {
      breakAll();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

/** Writes a piece in each turn of the event loop, so that a reader in this process gets each by itself. */
function inPieces(socket: Socket, bytes: number): (chunk: Buffer) => void {
  let written = Promise.resolve();
  socket.setNoDelay();
  return (chunk) => {
    written = written.then(async () => {
      for (let at = 0; at < chunk.length && !socket.destroyed; at += bytes) {
        socket.write(chunk.subarray(at, at + bytes));
        await setImmediate();
      }
    });
  };
}
