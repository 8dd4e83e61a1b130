import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { Problem } from '../../lib/problem.ts';
import type { RequestFacts } from './request-facts.ts';
import { createRouter, decoded, type Match } from './router.ts';

export interface HttpCall {
  readonly facts: RequestFacts;
  readonly params: Readonly<Record<string, string>>;
  readonly raw: IncomingMessage;
  /** Empty without a body, and for uploads, which the handler reads itself. */
  readonly body: Buffer;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A stream is sent as it is read. */
  readonly body?: string | Buffer | Readable;
  /** The internal error; for the log, never for the caller. */
  readonly fault?: unknown;
  /** The handler has logged the failure itself. */
  readonly isLogged?: boolean;
  /** Whether it was streamed to the client already. */
  readonly isSent?: boolean;
}

export type HandleCall = (call: HttpCall) => Promise<HttpResponse>;

/** An agreement to leave HTTP. */
export interface Upgraded {
  /** Serves the connection from then on. */
  take(socket: Socket): void;
}

export interface UpgradeRequest {
  readonly facts: RequestFacts;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

export type HandleUpgrade = (request: UpgradeRequest) => Promise<Upgraded>;

/** Matches methods without their own route. */
export const anyMethod = 'any method';

/** The table of all routes. */
export interface Routes {
  /** Paths are the router's (`/a/{slug}/`, `/b/*`). A GET route also serves HEAD (RFC 9110 §9.3.2). */
  on(methods: readonly string[], path: string, answer: HandleCall): void;
  /** Serves a protocol other than HTTP at a path, for clients that ask to upgrade to it (RFC 9110 §7.8). */
  onUpgrade(protocol: string, path: string, handle: HandleUpgrade): void;
}

export interface RouteTable extends Routes {
  /** All routes, as declared. */
  readonly declared: readonly { readonly methods: readonly string[]; readonly path: string }[];
  /** Throws a `Problem` if nothing matches. */
  find(facts: RequestFacts): RouteMatch;
  /** Null if there is no such protocol at the path. */
  findUpgrade(protocol: string | undefined, path: string): HandleUpgrade | null;
}

export interface RouteMatch {
  readonly answer: HandleCall;
  /** The path as it was declared; null where nothing matched but a path without the slash, or another method. */
  readonly route: string | null;
  readonly params: HttpCall['params'];
}

interface Route {
  readonly answer: HandleCall;
  readonly path: string;
}

export const withHead = (methods: readonly string[]): readonly string[] =>
  methods.includes('GET') ? [...methods, 'HEAD'] : methods;

export function createRoutes(): RouteTable {
  const router = createRouter<Route>();
  const upgrades = new Map<string, HandleUpgrade>();
  const declared: { readonly methods: readonly string[]; readonly path: string }[] = [];

  /** The match of the path with a trailing slash, if it lacks one. */
  const withSlash = (path: string): Match<Route> | null => (path.endsWith('/') ? null : router.find(`${path}/`));

  function on(methods: readonly string[], path: string, answer: HandleCall): void {
    declared.push({ methods, path });
    for (const method of withHead(methods)) router.add(method, path, { answer, path });
  }

  return {
    declared,
    on,
    onUpgrade(protocol, path, handle) {
      upgrades.set(`${protocol} ${path}`, handle);
      // To clients, or proxies in front of this server, that do not ask to upgrade (RFC 9110 §15.5.22).
      on(['GET'], path, async () =>
        json(426, { detail: `Upgrade to ${protocol} is required.` }, { upgrade: protocol, connection: 'Upgrade' }),
      );
    },
    findUpgrade: (protocol, path) => upgrades.get(`${protocol} ${path}`) ?? null,
    find({ method, path }) {
      // Clients append `/.well-known/…` to an issuer that ends in a slash.
      const match = router.find(path.replace('//.well-known/', '/.well-known/'));
      if (match) {
        const found = match.methods.get(method) ?? match.methods.get(anyMethod);
        if (!found) return { answer: notOffered(method, match), route: null, params: match.params };
        return { answer: found.answer, route: found.path, params: match.params };
      }
      if (withSlash(path)) return { answer: addSlash(method, path), route: null, params: {} };
      throw new Problem(decoded(path) === null ? 'bad_request' : 'not_found');
    },
  };
}

/** Redirects reads. Writes get an error, since clients may change the method on a redirect or not follow it. */
function addSlash(method: string, path: string): HandleCall {
  if (method !== 'GET' && method !== 'HEAD') {
    throw new Problem('not_found', `Not found. The path ends with a slash: ${path}/`);
  }
  return async ({ raw: { url = path } }) => ({
    status: 308,
    headers: { location: `${path}/${url.slice(path.length)}`, 'cache-control': 'no-store' },
  });
}

/** RFC 9110 §9.3.7, §15.5.6 */
function notOffered(method: string, { methods }: Match<Route>): HandleCall {
  const headers = { allow: [...methods.keys(), 'OPTIONS'].join(', ') };
  if (method === 'OPTIONS') return async () => ({ status: 204, headers });
  throw new Problem('method_not_allowed', `Method "${method}" not allowed.`, headers);
}

export const json = (
  status: number,
  body: unknown,
  headers?: Readonly<Record<string, string | readonly string[]>>,
): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
