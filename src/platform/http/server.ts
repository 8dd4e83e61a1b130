import { createServer as createHttpServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { asciiUri } from '../../lib/ascii-uri.ts';
import { Problem } from '../../lib/problem.ts';
import { createRequestBodyQuota } from '../limits/request-body-quota.ts';
import { createRequestsPerConnection } from '../limits/requests-per-connection.ts';
import { createResponseMemoryLimit } from '../limits/response-memory-limit.ts';
import type { Log } from '../log.ts';
import { rejectBrokenRequest } from './broken-request.ts';
import { checkHost } from './check-host.ts';
import { toErrorResponse } from './error-response.ts';
import type { Hosted } from './hosted.ts';
import { hasBody, readBody, skipRest } from './read-body.ts';
import { isUpload } from './read-upload.ts';
import { type RequestFacts, requestFacts } from './request-facts.ts';
import { logRequests } from './request-log.ts';
import { createRoutes, type HttpResponse, type RouteMatch, type RouteTable, type Upgraded } from './routes.ts';
import { securityHeaders } from './security-headers.ts';
import { createTrustedProxies } from './trusted-proxies.ts';

export interface ServerOptions {
  readonly log: Log;
  /** Address ranges whose `X-Forwarded-*` headers are trusted; none by default. */
  readonly trustedProxies: readonly string[];
  readonly bodyLimitBytes?: number;
  /** The time limit for a request to arrive. */
  readonly requestTimeoutMs?: number;
  /** The memory for large responses to clients that read slowly. */
  readonly maxUnreadBytes?: number | undefined;
  /** Wraps the work of each request. */
  around?(work: () => Promise<HttpResponse>, request: RequestFacts): Promise<HttpResponse>;
  /** Called after each response with its route, null if none matched. */
  observe?(request: ObservedRequest): void;
  /** Serves whole hosts in front of our routes. */
  readonly hosted?: Hosted;
  /** Turns a refusal into an HTML page for browsers; null to leave it as is. */
  errorPage?(error: unknown, refusal: HttpResponse, request: RequestFacts): Promise<HttpResponse | null>;
}

interface ObservedRequest {
  /** The path as it was declared. */
  readonly route: string | null;
  readonly status: number;
  /** An unexpected error, whatever the status: a protocol may return it to the client in a redirect. */
  readonly isFault: boolean;
  readonly milliseconds: number;
}

export interface HttpServer {
  readonly routes: RouteTable;
  /** Resolves with the URL under which this machine reaches the server. */
  listen(at: { readonly host: string; readonly port: number }): Promise<string>;
  /** Whether it is about to stop, so that load balancers should send requests elsewhere. */
  readonly isStopping: boolean;
  /** Keeps serving, but asks clients not to reuse their connections. */
  announceStop(): void;
  /** Accepts no new connections, and resolves when the requests in flight have completed. */
  close(): Promise<void>;
}

const defaultBodyLimit = 2 * 1024 * 1024;
const defaultRequestTimeoutMs = 30_000;
const nothing: Buffer = Buffer.alloc(0);

/** The one path of every request: id, limits, route, response or refusal, security headers, log. */
export function createServer({
  log,
  trustedProxies,
  bodyLimitBytes = defaultBodyLimit,
  requestTimeoutMs = defaultRequestTimeoutMs,
  maxUnreadBytes,
  around = (work) => work(),
  observe = () => {},
  hosted,
  errorPage = async () => null,
}: ServerOptions): HttpServer {
  let isStopping = false;
  const stopping = new AbortController();
  const proxies = createTrustedProxies(trustedProxies, warnOnce(log));
  const reserveBodyMemory = createRequestBodyQuota();
  const trackUnsentBytes = createResponseMemoryLimit(maxUnreadBytes);
  const { tryBegin, end } = createRequestsPerConnection();
  const routes = createRoutes();
  const logRequest = logRequests(log);

  async function serve(raw: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!tryBegin(raw.socket)) return;
    const started = performance.now();
    const facts = requestFacts(raw, proxies);
    response.on('timeout', () => closeLate(raw, response, facts));
    let answer: HttpResponse;
    let route: string | null = null;
    try {
      checkHost(raw);
      answer = await around(async () => {
        if (hosted?.isForeign(facts)) {
          route = hostedRoute;
          const answered = await hosted.serve({ facts, raw, response, stopping: stopping.signal });
          if (answered) return answered;
          route = null;
        }
        limitArrival(raw, requestTimeoutMs);
        const match = routes.find(facts);
        ({ route } = match);
        return answerTo(raw, facts, match);
      }, facts);
    } catch (error) {
      answer = await refuse(error, facts);
    }
    if (!raw.complete && !answer.isSent) {
      limitArrival(raw, requestTimeoutMs);
      skipRest(raw);
    }
    try {
      if (!answer.isSent) write(response, facts, answer);
    } catch (error) {
      // For example, a header that cannot be sent.
      answer = toErrorResponse(error, facts.id);
      if (!response.headersSent) write(response, facts, answer);
    }
    end(raw.socket);
    const milliseconds = performance.now() - started;
    logRequest(answer, facts, raw.url, milliseconds);
    observe({ route, status: answer.status, isFault: isFault(answer), milliseconds });
  }

  /** The connection was idle for too long: the client gets no response, so the log records the reason. */
  function closeLate({ socket, url }: IncomingMessage, { headersSent }: ServerResponse, facts: RequestFacts): void {
    const { id, method, clientIp: ip } = facts;
    if (!headersSent)
      log.warn({ request_id: id, req: { method, url, ip } }, 'a request took too long: its connection is closed');
    socket.destroy();
  }

  function answerTo(raw: IncomingMessage, facts: RequestFacts, { answer, params }: RouteMatch): Promise<HttpResponse> {
    if (!hasRequestBody(raw)) return answer({ facts, params, raw, body: nothing });
    const reservation = reserveBodyMemory(facts.clientIp);
    return readBody(raw, bodyLimitBytes, reservation.tryGrowTo)
      .then((body) => answer({ facts, params, raw, body }))
      .finally(reservation.release);
  }

  async function refuse(error: unknown, facts: RequestFacts): Promise<HttpResponse> {
    const refusal = toErrorResponse(error, facts.id);
    return (await errorPage(error, refusal, facts)) ?? refusal;
  }

  function write(response: ServerResponse, facts: RequestFacts, { status, headers, body }: HttpResponse): void {
    const all: Record<string, string | number | readonly string[]> = {
      ...securityHeaders,
      'x-request-id': facts.id,
      ...headers,
      ...(typeof headers?.location === 'string' && { location: asciiUri(headers.location) }),
    };
    // Node keeps connections alive even while it stops.
    if (isStopping) all.connection = 'close';
    const stream = body instanceof Readable ? body : null;
    const whole = body instanceof Readable ? undefined : body;
    // RFC 9110 §8.6
    const length = whole === undefined ? 0 : Buffer.byteLength(whole);
    if (!stream && status !== 204 && status !== 304) all['content-length'] = length;
    // Node's types leave out readonly lists.
    response.writeHead(status, all as Record<string, string>);
    if (stream && facts.method !== 'HEAD') {
      // The status has been sent, so the response can only be aborted.
      pipeline(stream, response).catch((err) => log.debug({ err, request_id: facts.id }, 'a download broke off'));
      return;
    }
    stream?.destroy();
    if (facts.method === 'HEAD') return void response.end();
    trackUnsentBytes(response, length);
    response.end(whole);
  }

  /**
   * A WebSocket to one of the hosted hosts, or a protocol of our own. If the handler returns a response instead, it is
   * written to the socket, which Node has released.
   */
  async function switchProtocol(raw: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const started = performance.now();
    const facts = requestFacts(raw, proxies);
    socket.on('error', () => socket.destroy());
    const own = routes.findUpgrade(raw.headers.upgrade, facts.path);
    let upgraded: Upgraded | null = null;
    let answer: HttpResponse;
    try {
      checkHost(raw);
      answer = await around(async () => {
        const request = { facts, raw, stopping: stopping.signal };
        if (own) {
          upgraded = await own(request);
          return { status: 101, isSent: true };
        }
        return (
          (await hosted?.upgrade({ ...request, socket, head })) ?? toErrorResponse(new Problem('not_found'), facts.id)
        );
      }, facts);
    } catch (error) {
      answer = toErrorResponse(error, facts.id);
    }
    // Node types connections more widely than this server accepts them.
    if (upgraded && socket instanceof Socket) switchTo(upgraded, { protocol: raw.headers.upgrade ?? '', socket, head });
    else if (!answer.isSent) writeToSocket(socket, answer);
    const milliseconds = performance.now() - started;
    logRequest(answer, facts, raw.url, milliseconds);
    const route = own ? facts.path : hostedRoute;
    observe({ route, status: answer.status, isFault: isFault(answer), milliseconds });
  }

  const isUpgrade = (raw: IncomingMessage): boolean => {
    const { upgrade } = raw.headers;
    const facts = requestFacts(raw, proxies);
    if (routes.findUpgrade(upgrade, facts.path)) return true;
    return upgrade?.toLowerCase() === 'websocket' && hosted?.isForeign(facts) === true;
  };

  const http = createHttpServer({ ...timeouts(requestTimeoutMs), shouldUpgradeCallback: isUpgrade }, serve)
    .setTimeout(2 * requestTimeoutMs)
    .on('upgrade', switchProtocol)
    .on('clientError', rejectBrokenRequest);

  return {
    routes,
    listen: (at) =>
      new Promise((resolve, reject) => {
        http.once('error', reject).listen(at, () => {
          http.off('error', reject);
          // It listens on a port, not on a pipe.
          resolve(urlOf(http.address() as AddressInfo));
        });
      }),
    get isStopping() {
      return isStopping;
    },
    announceStop() {
      isStopping = true;
    },
    close() {
      isStopping = true;
      stopping.abort();
      // Connections without a request in flight are closed at once; a server that never listened is closed already.
      return new Promise((resolve) => void http.close(() => resolve()));
    },
  };
}

/** Once per header, not per request. */
function warnOnce(log: Log): (header: string) => void {
  const warned = new Set<string>();
  return (header) => {
    if (warned.has(header)) return;
    warned.add(header);
    log.warn(
      { header },
      'a trusted proxy sends client addresses in a header that is not read, so events and rate limits see the address of the proxy; configure it to set X-Forwarded-For',
    );
  };
}

/** Limits for slow and idle clients (Slowloris). */
const timeouts = (requestTimeoutMs: number) => ({
  // `limitArrival` limits bodies instead: requests to hosted applications may take longer.
  requestTimeout: 0,
  keepAliveTimeout: 72_000,
  // Node's default for headers exceeds our limit for the whole request, and would replace it.
  headersTimeout: requestTimeoutMs / 2,
  connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 6),
});

const hostedRoute = 'hosted';

/** Rejects requests whose body arrives too slowly, and closes the connection (slow POST). */
function limitArrival(raw: IncomingMessage, withinMs: number): void {
  if (raw.complete || !hasBody(raw)) return;
  const tooSlow = Object.assign(new Error('the request did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  const timer = setTimeout(() => rejectBrokenRequest(tooSlow, raw.socket), withinMs);
  const clear = () => clearTimeout(timer);
  raw.once('end', clear).once('close', clear);
}

/** A 500 that was passed on is a fault of the application behind. */
const isFault = ({ status, fault = null, isSent = false }: HttpResponse): boolean =>
  (status === 500 && !isSent) || (fault !== null && status !== 503);

const hasRequestBody = (request: IncomingMessage): boolean =>
  request.method !== 'GET' && request.method !== 'HEAD' && hasBody(request) && !isUpload(request);

function urlOf({ address, family, port }: AddressInfo): string {
  if (family === 'IPv6') return `http://[${address === '::' ? '::1' : address}]:${port}`;
  return `http://${address === '0.0.0.0' ? '127.0.0.1' : address}:${port}`;
}

interface SwitchedConnection {
  readonly protocol: string;
  readonly socket: Socket;
  /** What the client has sent already. */
  readonly head: Buffer;
}

/** Outside of the work of the request: what the connection carries is not bounded by it. */
function switchTo({ take }: Upgraded, { protocol, socket, head }: SwitchedConnection): void {
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
  socket.setTimeout(0).setKeepAlive(true, 60_000).setNoDelay(true);
  socket.allowHalfOpen = false;
  if (head.length > 0) socket.unshift(head);
  take(socket);
}

function writeToSocket(socket: Duplex, { status, headers = {}, body = '' }: HttpResponse): void {
  const whole = body instanceof Readable ? '' : body;
  const all = {
    ...securityHeaders,
    ...headers,
    'content-length': String(Buffer.byteLength(whole)),
    connection: 'close',
  };
  const lines = Object.entries(all).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}\r\n`));
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`);
  socket.end(whole);
}
