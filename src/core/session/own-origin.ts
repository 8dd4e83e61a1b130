import { Problem } from '../../lib/problem.ts';
import type { RequestFacts } from '../../platform/http/request-facts.ts';

const ownSites = new Set(['same-origin', 'none']);

/**
 * Whether the request comes from one of our pages or from the user directly (Fetch Metadata). Browsers omit the header
 * without TLS.
 */
export function isFromOwnPage({ header }: Pick<RequestFacts, 'header'>): boolean {
  const site = header('sec-fetch-site');
  return site === undefined || ownSites.has(site);
}

/**
 * Refuses what a page of another origin makes a browser send. A neighbour on our site gets our cookies sent along, and
 * walks of anonymous visitors have no CSRF token. Following a link to the API remains possible.
 */
export function checkOwnOrigin({ method, host, header }: RequestFacts, publicHost: string): void {
  const site = header('sec-fetch-site');
  if (site !== undefined) {
    if (ownSites.has(site) || (method === 'GET' && header('sec-fetch-mode') === 'navigate')) return;
    throw refusal();
  }
  // Browsers leave it out without TLS, and old ones always; programs send neither.
  const origin = header('origin');
  if (origin === undefined) return;
  const hostname = URL.parse(origin)?.hostname;
  if (hostname !== host && hostname !== publicHost) throw refusal();
}

/** Refuses to be opened by a link of another site: for a GET that changes something. */
export function checkOwnPage(request: Pick<RequestFacts, 'header'>): void {
  if (!isFromOwnPage(request)) throw refusal();
}

const refusal = () => new Problem('csrf_failed', 'CSRF Failed: The request comes from a page of another origin.');
