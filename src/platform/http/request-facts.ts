import type { IncomingMessage } from 'node:http';
import { parseCookie } from 'cookie';
import { requestId } from '../random.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

export interface RequestFacts {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly clientIp: string;
  readonly userAgent: string;
  readonly host: string;
  /** The host with its port. */
  readonly authority: string;
  /** Whether a trusted proxy sent the request, so that its `X-Forwarded-*` headers are true. */
  readonly isForwarded: boolean;
  /** Whether it came over TLS, to us or to a trusted proxy. */
  readonly isSecure: boolean;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  header(name: string): string | undefined;
}

const noQuery = new URLSearchParams();
const noCookies: RequestFacts['cookies'] = {};

export function requestFacts(request: IncomingMessage, trustedProxies: TrustedProxies, id = requestId()): RequestFacts {
  const { url = '', headers } = request;
  const at = url.indexOf('?');
  const { clientIp, host, authority, isForwarded, isSecure } = trustedProxies.clientAddressOf(request);
  return {
    id,
    method: request.method ?? '',
    path: at === -1 ? url : url.slice(0, at),
    query: at === -1 ? noQuery : new URLSearchParams(url.slice(at + 1)),
    clientIp,
    host,
    authority,
    isForwarded,
    isSecure,
    userAgent: headers['user-agent'] ?? '',
    cookies: headers.cookie === undefined ? noCookies : parseCookie(headers.cookie),
    header: (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
  };
}
