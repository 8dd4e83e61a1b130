import { IncomingMessage } from 'node:http';
import { isIP, Socket } from 'node:net';
import { isJsonObject, type JsonObject, memberOf } from '../../lib/json.ts';
import { Invalid } from '../../lib/problem.ts';
import { requestFacts } from '../../platform/http/request-facts.ts';
import type { HttpCall, HttpResponse } from '../../platform/http/routes.ts';

/** A request that came to an outpost, as its process sends it on to the server. */
export interface RelayedRequest {
  readonly method: string;
  /** The path and query, as they came. */
  readonly url: string;
  /** Names and values by turns, as they came. */
  readonly headers: readonly string[];
  readonly body: string;
  /** The address of the client or proxy that connected. */
  readonly peer: string;
  /** What the outpost takes for true of the client, by its own trusted proxies. */
  readonly client: {
    readonly ip: string;
    readonly host: string;
    readonly authority: string;
    readonly is_forwarded: boolean;
    readonly is_secure: boolean;
  };
}

/** The server's response to a relayed request. */
export interface RelayAnswer {
  readonly response: HttpResponse;
  /**
   * Whether the outpost may give the same response while it cannot reach the server: to requests of the same session,
   * or only to requests for the same path.
   */
  readonly reuse?: 'session' | 'path';
  /** What the kind of provider lets the outpost do instead of giving the response. */
  readonly pass?: JsonObject;
}

export const maxRelayedBody = 65_536;
const maxUrl = 16_384;
const maxHeaders = 400;
const maxHeaderCharacters = 65_536;

const urlPattern = /^\/[^\p{Cc}\s]*$/u;
const tokenPattern = /^[\w!#$%&'*+.^`|~-]{1,200}$/;
const valuePattern = /^[\t\x20-\x7e\x80-\xff]*$/;
const hostPattern = /^[\w.~%:[\]-]{0,300}$/;

/** As much as Node reports of a request. */
export const relayedRequest = (
  { facts, raw }: Pick<HttpCall, 'facts' | 'raw'>,
  body: Buffer = Buffer.alloc(0),
): RelayedRequest => ({
  method: facts.method,
  url: raw.url ?? '/',
  headers: raw.rawHeaders,
  body: body.toString('latin1'),
  peer: raw.socket.remoteAddress ?? '',
  client: {
    ip: facts.clientIp,
    host: facts.host,
    authority: facts.authority,
    is_forwarded: facts.isForwarded,
    is_secure: facts.isSecure,
  },
});

/** The request as if it had come here. Accepts nothing that HTTP could not have brought; throws `Invalid`. */
export function readRelayedRequest(message: unknown): HttpCall {
  const method = read(message, 'method', tokenPattern);
  const url = read(message, 'url', urlPattern, maxUrl);
  const rawHeaders = readHeaders(message);
  const body = Buffer.from(read(message, 'body', /^[\0-\xff]*$/, maxRelayedBody), 'latin1');
  const peer = read(message, 'peer', /^[\da-fA-F:.%\w]*$/, 100);
  const client = memberOf(message, 'client');
  const clientIp = read(client, 'ip', /^/, 100);
  if (isIP(clientIp) === 0) throw Invalid.field('ip', 'Not a valid value.');
  const from = {
    clientIp,
    host: read(client, 'host', hostPattern),
    authority: read(client, 'authority', hostPattern),
    isForwarded: memberOf(client, 'is_forwarded') === true,
    isSecure: memberOf(client, 'is_secure') === true,
  };
  const raw = incoming({ method, url, rawHeaders, peer });
  return { facts: requestFacts(raw, { clientAddressOf: () => from }), params: {}, raw, body };
}

function read(message: unknown, name: string, pattern: RegExp, max = 1_000): string {
  const value = memberOf(message, name);
  if (typeof value !== 'string' || value.length > max || !pattern.test(value))
    throw Invalid.field(name, 'Not a valid value.');
  return value;
}

function readHeaders(message: unknown): string[] {
  const value = memberOf(message, 'headers');
  const isList = Array.isArray(value) && value.length <= maxHeaders && value.length % 2 === 0;
  if (!isList || !value.every((one, at) => typeof one === 'string' && (at % 2 ? valuePattern : tokenPattern).test(one)))
    throw Invalid.field('headers', 'Not a valid value.');
  if (value.join('').length > maxHeaderCharacters) throw Invalid.field('headers', 'Too long.');
  return value;
}

/** Of these Node keeps the first; it joins most others. */
const single = new Set(['authorization', 'content-length', 'content-type', 'host', 'referer', 'user-agent']);

function incoming(from: { method: string; url: string; rawHeaders: string[]; peer: string }): IncomingMessage {
  const distinct = new Map<string, string[]>();
  for (let at = 0; at < from.rawHeaders.length; at += 2) {
    const name = (from.rawHeaders[at] ?? '').toLowerCase();
    distinct.set(name, [...(distinct.get(name) ?? []), from.rawHeaders[at + 1] ?? '']);
  }
  const joined = [...distinct].map(([name, values]): [string, string] => {
    if (single.has(name)) return [name, values[0] ?? ''];
    return [name, values.join(name === 'cookie' ? '; ' : ', ')];
  });
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: from.peer });
  const raw = new IncomingMessage(socket);
  raw.method = from.method;
  raw.url = from.url;
  raw.rawHeaders = from.rawHeaders;
  raw.headers = Object.assign(Object.create(null), Object.fromEntries(joined));
  raw.headersDistinct = Object.assign(Object.create(null), Object.fromEntries(distinct));
  return raw;
}

/** What the server sends back, on the wire. */
export interface RelayedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
  readonly reuse: 'session' | 'path' | null;
  readonly pass: JsonObject | null;
}

export const relayedAnswer = ({ response, reuse, pass }: RelayAnswer): RelayedAnswer => ({
  status: response.status,
  headers: response.headers ?? {},
  body: typeof response.body === 'string' ? response.body : '',
  reuse: reuse ?? null,
  pass: pass ?? null,
});

/** Null for what no server of this version sends. */
export function readRelayedAnswer(message: unknown): RelayedAnswer | null {
  if (!isJsonObject(message)) return null;
  const { status, headers, body, reuse, pass } = message;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) return null;
  if (!isJsonObject(headers) || typeof body !== 'string') return null;
  const isText = (value: unknown) => typeof value === 'string' && valuePattern.test(value);
  const isHeader = ([name, value]: [string, unknown]) => tokenPattern.test(name) && [value].flat().every(isText);
  if (!Object.entries(headers).every(isHeader)) return null;
  return {
    status,
    // Each value was checked above.
    headers: headers as RelayedAnswer['headers'],
    body,
    reuse: reuse === 'session' || reuse === 'path' ? reuse : null,
    pass: isJsonObject(pass) ? pass : null,
  };
}
