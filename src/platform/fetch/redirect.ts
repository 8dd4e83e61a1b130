import { OutboundError } from './outbound-error.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

/** A request of a redirect chain; header names are in lower case. */
export interface Hop {
  readonly url: URL;
  readonly method: Method;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers that may go to another origin: any other may hold a secret meant for the first. */
const harmlessHeaders: ReadonlySet<string> = new Set(['accept', 'accept-language', 'user-agent']);

export function isRedirect(status: number): boolean {
  return redirectStatuses.has(status);
}

/** Null for anything but http and https without credentials. */
export function parseOutboundUrl(text: string, base?: URL): URL | null {
  const url = URL.parse(text, base);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  return url.username || url.password ? null : url;
}

/** RFC 9110 §15.4, but stricter if a secret could leak: to plain HTTP, or in a body to another origin. */
export function followRedirect(hop: Hop, status: number, location: string | undefined): Hop {
  const url = location === undefined ? null : parseOutboundUrl(location, hop.url);
  if (!url) throw refuse(hop, 'without a usable address');
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') throw refuse(hop, 'to an unencrypted address');

  const becomesGet = (status === 303 && hop.method !== 'HEAD') || (status < 303 && hop.method === 'POST');
  const method = becomesGet ? 'GET' : hop.method;
  const body = becomesGet ? null : hop.body;
  const isSameOrigin = url.origin === hop.url.origin;
  if (body !== null && !isSameOrigin) throw refuse(hop, 'with a body to another server');

  const headers = Object.entries(hop.headers)
    .filter(([name]) => isSameOrigin || harmlessHeaders.has(name))
    .filter(([name]) => body !== null || !name.startsWith('content-'));
  return { url, method, headers: Object.fromEntries(headers), body };
}

function refuse(hop: Hop, how: string): OutboundError {
  return new OutboundError('redirect', `${hop.url.host} redirects ${how}`);
}
