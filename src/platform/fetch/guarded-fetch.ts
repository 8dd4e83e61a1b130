import { lookup as lookupAddress } from 'node:dns/promises';
import type { Agent, Dispatcher } from 'undici';
import type { Cidrs } from '../../lib/cidr.ts';
import { isDeeperThan } from '../../lib/json.ts';
import { maxPieces } from '../max-pieces.ts';
import { createGuardedConnect, type Lookup, type TlsOptions } from './guarded-connect.ts';
import { explainFailure, OutboundError } from './outbound-error.ts';
import { followRedirect, type Hop, isRedirect, type Method, parseOutboundUrl } from './redirect.ts';

export interface OutboundRequest {
  method?: Method | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | Uint8Array | null | undefined;
  /** For the whole call, from DNS lookup to the last byte, including redirects. */
  timeoutMs?: number | undefined;
  maxBytes?: number | undefined;
  /** Returns a redirect as the response, instead of following or refusing it. */
  returnRedirect?: boolean | undefined;
}

export interface OutboundResponse {
  readonly status: number;
  /** By lower-case name; repeated values are joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  text(): string;
  /** Throws an OutboundError if the response is not JSON. */
  json(): unknown;
}

/** Calls other servers, with SSRF protection. Rejects only with an OutboundError. */
export interface GuardedFetch {
  (url: string, request?: OutboundRequest): Promise<OutboundResponse>;
  close(): Promise<void>;
}

export interface FetchOptions {
  /** Allowed ranges in addition to public addresses. */
  allow: Cidrs;
  timeoutMs?: number | undefined;
  maxBytes?: number | undefined;
  maxRedirects?: number | undefined;
  lookup?: Lookup | undefined;
  tls?: TlsOptions | undefined;
  /** Sends all calls to this Unix socket, whatever host the URL names. */
  socketPath?: string | undefined;
}

const maxConnectMs = 10_000;
/** Limits interim responses (RFC 9110 §15.2): without it, a server could send them until the deadline. */
const maxInterim = 20;
/** No response that we request is nested more deeply, and recursive functions would overflow the stack. */
const deepestJson = 100;

export function createFetch({
  allow,
  timeoutMs = 10_000,
  maxBytes = 1_048_576,
  maxRedirects = 0,
  lookup = (hostname) => lookupAddress(hostname, { all: true }),
  tls = {},
  socketPath,
}: FetchOptions): GuardedFetch {
  let agent: Promise<Agent> | null = null;

  // Loaded on first use: it takes a tenth of a second and 15 MB, which many servers never need.
  const openAgent = async (): Promise<Agent> => {
    const { Agent, buildConnector } = await import('undici');
    const timeout = maxConnectMs;
    const connect =
      socketPath === undefined
        ? createGuardedConnect(buildConnector, { allow, lookup, timeoutMs: timeout, tls })
        : buildConnector({ socketPath, timeout });
    return new Agent({ connect });
  };

  const guardedFetch = async (url: string, request: OutboundRequest = {}): Promise<OutboundResponse> => {
    const hop = createHop(url, request);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), request.timeoutMs ?? timeoutMs);
    try {
      agent ??= openAgent();
      return await send(await agent, hop, {
        signal: deadline.signal,
        maxBytes: request.maxBytes ?? maxBytes,
        maxRedirects,
        returnRedirect: request.returnRedirect ?? false,
      });
    } finally {
      clearTimeout(timer);
    }
  };

  return Object.assign(guardedFetch, {
    close: async (): Promise<void> => {
      await (await agent)?.destroy();
    },
  });
}

function createHop(text: string, { method = 'GET', headers = {}, body = null }: OutboundRequest): Hop {
  const url = parseOutboundUrl(text);
  // No cause: the parser's error contains the whole URL.
  if (!url) throw new OutboundError('bad-url', 'only http and https URLs without credentials can be called');
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  // Without it a server may choose any coding (RFC 9110 §12.5.3).
  const own = { 'user-agent': 'gatehouse', 'accept-encoding': 'identity' };
  return { url, method, headers: { ...own, ...Object.fromEntries(named) }, body };
}

interface Limits {
  signal: AbortSignal;
  maxBytes: number;
  maxRedirects: number;
  returnRedirect: boolean;
}

async function send(agent: Agent, first: Hop, limits: Limits): Promise<OutboundResponse> {
  const { signal, maxBytes, maxRedirects, returnRedirect } = limits;
  let hop = first;
  for (let redirectsLeft = maxRedirects; ; redirectsLeft--) {
    const { host } = hop.url;
    try {
      const response = await dispatch(agent, hop, signal);
      const headers = joinHeaders(response.headers);
      if (returnRedirect || !isRedirect(response.statusCode)) {
        return createAnswer(response.statusCode, headers, await readBody(response.body, host, maxBytes), host);
      }
      discard(response.body);
      if (redirectsLeft <= 0) throw new OutboundError('redirect', `${host} redirects`);
      hop = followRedirect(hop, response.statusCode, headers.location);
    } catch (error) {
      throw explainFailure(error, host, signal.aborted);
    }
  }
}

function dispatch(agent: Agent, hop: Hop, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const { url, method, headers, body } = hop;
  let interim = 0;
  const response = agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers,
    body,
    signal,
    onInfo() {
      interim += 1;
      if (interim > maxInterim) throw new OutboundError('bad-answer', `${url.host} does not come to its answer`);
    },
  });
  // undici respects the signal only once it is connected.
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([response, aborted]);
}

function joinHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]));
}

async function readBody(body: AsyncIterable<Uint8Array>, host: string, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    chunks.push(chunk);
    // Leaving the loop closes the connection.
    if (size > maxBytes) throw new OutboundError('too-large', `the answer of ${host} is larger than ${maxBytes} bytes`);
    if (chunks.length > maxPieces) throw new OutboundError('too-large', `the answer of ${host} comes in crumbs`);
  }
  return Buffer.concat(chunks);
}

function discard(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => {
    // The rest of this body is not needed.
  });
  body.destroy();
}

function createAnswer(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  host: string,
): OutboundResponse {
  return {
    status,
    headers,
    text: () => new TextDecoder().decode(body),
    json() {
      const value = parse(body, host);
      if (!isDeeperThan(value, deepestJson)) return value;
      throw new OutboundError('bad-answer', `the answer of ${host} is nested too deeply`);
    },
  };
}

function parse(body: Uint8Array, host: string): unknown {
  try {
    // Replacing invalid UTF-8 would map different identifiers to one.
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    // No cause: the parser's error quotes the response.
    throw new OutboundError('bad-answer', `the answer of ${host} is not JSON`);
  }
}
