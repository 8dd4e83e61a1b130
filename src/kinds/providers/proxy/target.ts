import { isWithinDomain, normalHost } from './hosts.ts';
import { outpostPath, type ProxyMode } from './proxy-model.ts';

interface Reachable {
  readonly mode: ProxyMode;
  readonly host: string;
  readonly external_host: string;
  readonly cookie_domain: string;
}

const maxTarget = 2_000;

/**
 * Where a person goes on after signing in: an address of what the provider protects. Anything else leads to its start
 * page.
 */
export function safeTarget(provider: Reachable, wanted: string | null): string {
  const home = new URL(provider.external_host);
  const url = wanted === null || wanted === '' || wanted.length > maxTarget ? null : URL.parse(wanted, home);
  if (!url || !isProtected(provider, url) || isOurs(url.pathname)) return home.href;
  // Sessions of a secure application are not sent without TLS.
  url.protocol = home.protocol;
  url.hash = '';
  return url.href;
}

function isProtected({ mode, host, cookie_domain }: Reachable, url: URL): boolean {
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return false;
  if (normalHost(url.host) === host) return true;
  return mode === 'forward_domain' && isWithinDomain(normalHost(url.hostname), cookie_domain);
}

/** A target at which the user would sign in or out again is replaced (redirect loop). */
const isOurs = (path: string): boolean => path === outpostPath || path.startsWith(`${outpostPath}/`);
