import { isLoopback } from '../../../platform/config-values.ts';
import type { RequestFacts } from '../../../platform/http/request-facts.ts';

/** For whom devices vouch: keys are bound to `id`, and answers come from pages of `origin` only. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/**
 * The public address. What a request says of its host counts for nothing, but on a server that only this machine reaches:
 * there it is the one of this machine's names that the browser was opened with.
 */
export function relyingParty(publicUrl: string, { header }: Pick<RequestFacts, 'header'>): RelyingParty {
  const { hostname: id, origin, protocol } = new URL(publicUrl);
  if (!isLoopback(id)) return { id, origin };
  const local = URL.parse(`${protocol}//${header('host')}`);
  return local && isLoopback(local.hostname) ? { id: local.hostname, origin: local.origin } : { id, origin };
}
