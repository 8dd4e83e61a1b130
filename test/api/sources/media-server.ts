import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface MediaUser {
  readonly id: number;
  readonly username?: string | null;
  readonly title?: string;
  readonly email?: string | null;
  readonly confirmed?: boolean;
  /** Ids of friends, and identifiers of the servers they can reach. */
  readonly friends?: readonly number[];
  readonly servers?: readonly string[];
}

export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

/** A server that speaks the media account API: `GET /user`, `/friends`, `/resources`. */
export interface MediaServer {
  readonly url: string;
  /** What it was asked since it was last reset. */
  readonly asked: Asked[];
  /** Gives a person a token. */
  know(token: string, user: MediaUser): void;
  /** Answers a path in another way until it is reset. */
  answer(path: string, how: (request: IncomingMessage, response: ServerResponse) => void): void;
  reset(): void;
  close(): Promise<void>;
}

export async function startMediaServer(): Promise<MediaServer> {
  const users = new Map<string, MediaUser>();
  const others = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push({ path, headers: request.headers });
    const other = others.get(path);
    if (other) return other(request, response);
    const token = String(request.headers['x-plex-token']);
    const user = users.get(token);
    if (!user || !request.headers['x-plex-client-identifier']) return sendJson(response, { errors: [] }, 401);
    if (path === '/user') return sendJson(response, accountOf(token, user));
    if (path === '/friends')
      return sendJson(
        response,
        (user.friends ?? []).map((id) => ({ id, title: `friend ${id}` })),
      );
    if (path === '/resources') return sendJson(response, resourcesOf(user));
    return sendJson(response, {}, 404);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    know: (token, user) => users.set(token, user),
    answer: (path, how) => others.set(path, how),
    reset() {
      others.clear();
      asked.length = 0;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const accountOf = (token: string, { friends: _friends, servers: _servers, ...user }: MediaUser) => ({
  uuid: `uuid-${user.id}`,
  title: user.username ?? '',
  authToken: token,
  ...user,
});

const resourcesOf = ({ servers = [] }: MediaUser) => [
  { name: 'a telephone', provides: 'client,player', clientIdentifier: 'a-telephone' },
  ...servers.map((clientIdentifier) => ({ name: clientIdentifier, provides: 'server', clientIdentifier })),
];
