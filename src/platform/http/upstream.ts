import { lookup } from 'node:dns';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Cidrs, contains, parseCidrs } from '../../lib/cidr.ts';
import { hasBody } from './read-body.ts';

/** Names and values, in the order in which they are sent. */
export type RawHeaders = readonly (readonly [name: string, value: string])[];

/** Where a request goes on to. */
export interface Upstream {
  /** Only the scheme and the host count. */
  readonly origin: URL;
  readonly verifiesCertificate: boolean;
  /** The path and query, as they came. */
  readonly path: string;
  readonly headers: RawHeaders;
  /** Whether the application may set this header in its response. */
  mayAnswer(name: string, value: string): boolean;
  /** Closes open connections, such as WebSockets, when aborted. */
  readonly until: AbortSignal;
}

/** Nothing was sent to the client yet, so that a page can say what went wrong. */
export class UpstreamError extends Error {
  readonly isTimeout: boolean;
  constructor(isTimeout: boolean, cause: unknown) {
    super(isTimeout ? 'the application did not answer in time' : 'the application cannot be reached', { cause });
    this.isTimeout = isTimeout;
  }
}

export interface Upstreams {
  /** Streams a request to its upstream and the response back. Throws `UpstreamError` while nothing was sent. */
  forward(raw: IncomingMessage, response: ServerResponse, upstream: Upstream): Promise<void>;
  /** The same for a WebSocket, or whatever else the upstream switches to. */
  upgrade(raw: IncomingMessage, socket: Duplex, head: Buffer, upstream: Upstream): Promise<void>;
}

const maxConnections = 256;
const connectMs = 10_000;
/** How long an application may think. Browsers wait as long. */
const answerMs = 120_000;
/** How long either side may say nothing. */
const idleMs = 10 * 60_000;

const contentLength = 'content-length';

const hopByHop: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'http2-settings', 'expect'],
]);

/**
 * Removes hop-by-hop headers: those of HTTP, and those listed in `Connection` (RFC 9110 §7.6.1). That list cannot
 * remove `Content-Length`: without it, a body would be read as the next request of the connection (request smuggling).
 */
export function endToEnd(rawHeaders: readonly string[]): RawHeaders {
  const all = Array.from({ length: rawHeaders.length / 2 }, (_, at) => {
    return [rawHeaders[2 * at] ?? '', rawHeaders[2 * at + 1] ?? ''] as const;
  });
  const named = all
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((one) => one.trim().toLowerCase()))
    .filter((name) => name !== contentLength);
  return all.filter(([name]) => !hopByHop.has(name.toLowerCase()) && !named.includes(name.toLowerCase()));
}

/**
 * Connections to upstreams, reused. `allowed` are link-local ranges that may be reached, such as those of cloud
 * metadata.
 */
export function createUpstreams(allowed: Cidrs, limits: { readonly answerMs: number } = { answerMs }): Upstreams {
  const options = { keepAlive: true, maxSockets: maxConnections, maxFreeSockets: 32, scheduling: 'lifo' } as const;
  const plain = new http.Agent(options);
  const verifying = new https.Agent(options);
  const trusting = new https.Agent({ ...options, rejectUnauthorized: false });

  function send(raw: IncomingMessage, { origin, verifiesCertificate, path, headers }: Upstream, more: RawHeaders) {
    const isSecure = origin.protocol === 'https:';
    const secure = verifiesCertificate ? verifying : trusting;
    const hostname = origin.hostname.replace(/^\[|\]$/g, '');
    if (isIP(hostname) && isRefused(allowed, hostname)) throw new UpstreamError(false, refusal(hostname));
    const request = (isSecure ? https : http).request({
      protocol: origin.protocol,
      hostname,
      port: origin.port,
      method: raw.method,
      path,
      agent: isSecure ? secure : plain,
      lookup: guardedLookup(allowed),
      setHost: false,
      headers: [...headers, ...more].flat(),
      ...(isSecure && !isIP(hostname) && { servername: hostname }),
    });
    request.setTimeout(limits.answerMs, () => request.destroy(timedOut));
    request.once('socket', (socket) => {
      if (!socket.connecting) return;
      const timer = setTimeout(() => request.destroy(timedOut), connectMs);
      socket.once('connect', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
    });
    return request;
  }

  /**
   * The beginning of the response. A connection that the upstream has just closed is replaced, where nothing is lost by
   * it.
   */
  async function answerFrom(raw: IncomingMessage, response: ServerResponse, upstream: Upstream, isRetry = false) {
    const isChunked = raw.headers['transfer-encoding'] !== undefined;
    const request = send(raw, upstream, isChunked ? [['Transfer-Encoding', 'chunked']] : []);
    const answered = Promise.withResolvers<IncomingMessage>();
    const breakOff = () => request.destroy(new Error('the client went away'));
    response.once('close', breakOff);
    request.once('response', answered.resolve).once('error', answered.reject);
    const mayRepeat = !isRetry && !hasBody(raw) && (raw.method === 'GET' || raw.method === 'HEAD');
    if (hasBody(raw)) pipeline(raw, request).catch(answered.reject);
    else request.end();
    try {
      return { request, answer: await answered.promise };
    } catch (error) {
      request.destroy();
      if (mayRepeat && request.reusedSocket && !response.destroyed) return answerFrom(raw, response, upstream, true);
      throw new UpstreamError(error === timedOut, error);
    } finally {
      response.off('close', breakOff);
    }
  }

  return {
    async forward(raw, response, upstream) {
      raw.socket.setTimeout(idleMs);
      const { request, answer } = await answerFrom(raw, response, upstream);
      const breakOff = () => request.destroy();
      response.once('close', breakOff);
      request.on('error', () => response.destroy());
      request.setTimeout(idleMs);
      const headers = endToEnd(answer.rawHeaders).filter(([name, value]) => upstream.mayAnswer(name, value));
      response.writeHead(answer.statusCode ?? 502, headers.flat());
      // Events are shown as they come, and the first may come late.
      response.flushHeaders();
      const stop = () => response.destroy();
      upstream.until.addEventListener('abort', stop, { once: true });
      try {
        await pipeline(answer, response);
      } catch {
        // The status has been sent, so the response can only be aborted.
        answer.destroy();
      } finally {
        upstream.until.removeEventListener('abort', stop);
        response.off('close', breakOff);
      }
    },

    async upgrade(raw, socket, head, upstream) {
      const protocol = raw.headers.upgrade ?? '';
      // A handshake is sent without a body: what the client sends after it is for the protocol.
      const withoutBody = upstream.headers.filter(([name]) => name.toLowerCase() !== contentLength);
      const request = send(raw, { ...upstream, headers: withoutBody }, [
        ['Connection', 'Upgrade'],
        ['Upgrade', protocol],
      ]);
      socket.once('close', () => request.destroy()).on('error', () => request.destroy());
      const switched = Promise.withResolvers<[IncomingMessage, Duplex, Buffer] | [IncomingMessage]>();
      request.once('upgrade', (...parts) => switched.resolve(parts));
      request.once('response', (answer) => switched.resolve([answer]));
      request.once('error', switched.reject).end();
      const [answer, other, first] = await switched.promise.catch((error) => {
        throw new UpstreamError(error === timedOut, error);
      });
      const headers = endToEnd(answer.rawHeaders).filter(([name, value]) => upstream.mayAnswer(name, value));
      if (!other) {
        // It refuses, with a response like any other.
        socket.write(headOf(answer, [...headers, ['Connection', 'close']]), 'latin1');
        await pipeline(answer, socket).catch(() => socket.destroy());
        return;
      }
      socket.write(headOf(answer, [...headers, ['Connection', 'Upgrade'], ['Upgrade', protocol]]), 'latin1');
      if (first && first.length > 0) socket.write(first);
      if (head.length > 0) other.write(head);
      if (other instanceof Socket) other.setTimeout(0).setKeepAlive(true, 60_000);
      if (socket instanceof Socket) socket.setTimeout(0).setKeepAlive(true, 60_000);
      const end = () => {
        other.destroy();
        socket.destroy();
      };
      upstream.until.addEventListener('abort', end, { once: true });
      if (upstream.until.aborted) end();
      other.on('error', end).on('close', end);
      socket.on('close', end);
      await Promise.allSettled([pipeline(other, socket), pipeline(socket, other)]);
      upstream.until.removeEventListener('abort', end);
    },
  };
}

const timedOut = new Error('timed out');

const headOf = ({ statusCode, statusMessage, httpVersion }: IncomingMessage, headers: RawHeaders): string =>
  `HTTP/${httpVersion} ${statusCode} ${statusMessage}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;

/** Services of the machine or the cloud that no application is meant to serve. */
const linkLocal = parseCidrs(['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254/128']);

const isRefused = (allowed: Cidrs, address: string): boolean =>
  contains(linkLocal, address) && !contains(allowed, address);

const refusal = (address: string) =>
  new Error(`${address} is link-local: applications there are served only if GATEHOUSE_OUTBOUND_ALLOW has it`);

/** Rejects names that resolve to link-local addresses, at connect time (SSRF, DNS rebinding). */
const guardedLookup =
  (allowed: Cidrs): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      const refused = addresses?.find(({ address }) => isRefused(allowed, address));
      const failure = error ?? (refused ? refusal(refused.address) : null);
      if (failure || !first) return callback(failure ?? new Error('no address'), '', 4);
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
