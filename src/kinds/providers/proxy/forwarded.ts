import type { HttpCall } from '../../../platform/http/routes.ts';
import { readHost } from './guarded-host.ts';

/** How the proxies describe the request that they ask about. */
export const proxyKinds = ['nginx', 'traefik', 'caddy', 'haproxy', 'envoy'] as const;
export type ProxyKind = (typeof proxyKinds)[number];

/** The request that a browser or program has sent to a protected application. */
export interface Original {
  readonly method: string;
  readonly scheme: 'https' | 'http';
  /** With a port, unless it is the usual one. */
  readonly host: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** With the question mark; may be empty. */
  readonly search: string;
}

/** A header that the proxy did not send as it must, with what came instead. */
export interface Wrong {
  readonly header: string;
  readonly received: string;
}

export type Described = { readonly original: Original } | { readonly wrong: readonly Wrong[] };

type Http = Pick<HttpCall, 'facts' | 'raw'>;

/**
 * The request that a trusted proxy asks about. Each kind is read from the headers alone that the proxy sets itself:
 * others come from the client and may be forged.
 */
export function describeOriginal(http: Http, kind: ProxyKind): Described {
  if (!http.facts.isForwarded) return { wrong: [{ header: 'peer', received: http.facts.clientIp }] };
  switch (kind) {
    case 'nginx':
      return byUrl(http);
    case 'envoy':
      return byPath(http);
    default:
      return byHeaders(http);
  }
}

/** `X-Original-URL`, an absolute URL. `X-Original-URI` is not read: nothing but the client sets it. */
function byUrl(http: Http): Described {
  const received = single(http, 'x-original-url');
  const match = received === null ? null : /^(https?):\/\/([^/?#\\@]+)(\/[^?#]*)?(\?[^#]*)?$/i.exec(received);
  const scheme = match?.[1]?.toLowerCase();
  const host = readHost(match?.[2] ?? '', scheme ?? '');
  if (!match || host === null) return { wrong: [wrongOf(http, 'X-Original-URL')] };
  const [, , , path = '/', search = ''] = match;
  return originalOf(http, 'x-original-method', { scheme, host, path, search });
}

/** `X-Forwarded-Proto`, `-Host` and `-Uri`. */
function byHeaders(http: Http): Described {
  const scheme = single(http, 'x-forwarded-proto')?.toLowerCase();
  // Not the last of a list: the proxy may have chosen the application by another part of it.
  const host = readHost(single(http, 'x-forwarded-host') ?? '', scheme ?? '');
  const uri = single(http, 'x-forwarded-uri');
  const wrong = [
    ...(scheme === 'https' || scheme === 'http' ? [] : [wrongOf(http, 'X-Forwarded-Proto')]),
    ...(host === null ? [wrongOf(http, 'X-Forwarded-Host')] : []),
    ...(uri?.startsWith('/') ? [] : [wrongOf(http, 'X-Forwarded-Uri')]),
  ];
  if (wrong.length > 0 || host === null || uri === null) return { wrong };
  return originalOf(http, 'x-forwarded-method', { scheme, host, ...splitUri(uri) });
}

export const envoyPrefix = '/auth/envoy';

/** `Host` and the rest of the path. Envoy passes on `X-Forwarded-Host` as the client has sent it. */
function byPath(http: Http): Described {
  const { raw } = http;
  const scheme = single(http, 'x-forwarded-proto')?.toLowerCase() === 'https' ? 'https' : 'http';
  const host = readHost(raw.headers.host ?? '', scheme);
  if (host === null) return { wrong: [wrongOf(http, 'Host')] };
  const { url = '' } = raw;
  const uri = url.slice(url.indexOf(envoyPrefix) + envoyPrefix.length);
  return originalOf(http, null, { scheme, host, ...splitUri(uri.startsWith('/') ? uri : `/${uri}`) });
}

interface Found extends Pick<Original, 'host' | 'path' | 'search'> {
  readonly scheme: string | undefined;
}

function originalOf(http: Http, methodHeader: string | null, { scheme, ...found }: Found): Described {
  const method = (methodHeader === null ? null : single(http, methodHeader)) ?? http.facts.method;
  return { original: { ...found, method: method.toUpperCase(), scheme: scheme === 'https' ? 'https' : 'http' } };
}

function splitUri(uri: string): Pick<Original, 'path' | 'search'> {
  const at = uri.indexOf('?');
  return at === -1 ? { path: uri, search: '' } : { path: uri.slice(0, at), search: uri.slice(at) };
}

/** A header that came once; null otherwise: a client may have added another. */
function single({ raw }: Http, name: string): string | null {
  const values = raw.headersDistinct[name] ?? [];
  return values.length === 1 ? (values[0] ?? null) : null;
}

const maxReceived = 200;

const wrongOf = ({ raw }: Http, header: string): Wrong => ({
  header,
  received: (raw.headersDistinct[header.toLowerCase()] ?? []).join(', ').slice(0, maxReceived),
});

/**
 * Whether a browser navigates to a page, so that a redirect works. Anything else (requests of scripts, WebSockets,
 * programs) would follow the redirect to a page that it cannot use.
 */
export function isNavigation(method: string, header: (name: string) => string | undefined): boolean {
  if (method !== 'GET' && method !== 'HEAD') return header('sec-fetch-mode') === 'navigate';
  const mode = header('sec-fetch-mode');
  if (mode !== undefined) return mode === 'navigate';
  if (header('upgrade') !== undefined || header('x-requested-with')?.toLowerCase() === 'xmlhttprequest') return false;
  return header('accept')?.includes('text/html') ?? false;
}
