import { isLoopback } from '../../../platform/config-values.ts';
import type { RequestFacts } from '../../../platform/http/request-facts.ts';

/** Keys are bound to `id`; responses are accepted only from pages of `origin`. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/**
 * Derived from the public address. The request's host is ignored, unless the public address is a loopback one: then the
 * browser may use any loopback name.
 */
export function relyingParty(publicUrl: string, { header }: Pick<RequestFacts, 'header'>): RelyingParty {
  const { hostname: id, origin, protocol } = new URL(publicUrl);
  if (!isLoopback(id)) return { id, origin };
  const local = URL.parse(`${protocol}//${header('host')}`);
  return local && isLoopback(local.hostname) ? { id: local.hostname, origin: local.origin } : { id, origin };
}
