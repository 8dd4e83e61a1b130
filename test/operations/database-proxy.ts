import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface DatabaseProxy {
  /** The database's URL, by way of this proxy. */
  readonly url: string;
  /** The database goes away: open connections break, new ones are refused. */
  away(): void;
  /** The network swallows everything: connections stay open and nobody answers. */
  silent(): void;
  back(): void;
  close(): Promise<void>;
}

/** Stands between a server and its PostgreSQL, so that the way between them can be cut. */
export async function databaseProxy(
  databaseUrl: string,
  /** Changes what is sent to the database. */
  alter: (chunk: Buffer) => Buffer = (chunk) => chunk,
): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const folder = target.searchParams.get('host');
  const port = Number(target.port || 5432);
  const reach = () => (folder ? connect(`${folder}/.s.PGSQL.${port}`) : connect(port, target.hostname));
  const sockets = new Set<Socket>();
  let state: 'open' | 'away' | 'silent' = 'open';

  const server = createServer((incoming) => {
    if (state === 'away') return void incoming.destroy();
    const outgoing = reach();
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk: Buffer) => {
        if (state === 'open') to.write(from === incoming ? alter(chunk) : chunk);
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
    back() {
      state = 'open';
    },
    close() {
      breakAll();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}
