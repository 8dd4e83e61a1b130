import type { IncomingMessage } from 'node:http';
import type { RequestFacts } from '../../../platform/http/request-facts.ts';
import { endToEnd, type RawHeaders } from '../../../platform/http/upstream.ts';
import type { Decision } from './check.ts';
import type { HostProvider } from './guarded-host.ts';
import { foldedName, isIdentityHeader } from './header-names.ts';
import { encodedHeaders } from './identity.ts';

type Upstream = Pick<HostProvider, 'internal_host' | 'internal_host_ssl_validation'>;

/** A decision that lets a request pass, as far as an outpost needs it. */
export type Passed =
  | (Omit<Extract<Decision, { outcome: 'allowed' }>, 'provider'> & { readonly provider: Upstream })
  | (Omit<Extract<Decision, { outcome: 'skipped' }>, 'provider'> & { readonly provider: Upstream });

const ownCookie = /^(?:__Host-|__Secure-)?gatehouse_proxy_/;
/** What says where a request comes from, in spellings that frameworks read. */
const isOfProxies = (folded: string): boolean =>
  /^(?:x-(?:forwarded|original|envoy)-.*|x-(?:real|client|cluster-client)-ip|x-rewrite-url|forwarded|true-client-ip)$/.test(
    folded,
  );

/**
 * The headers that the application gets: those of the client without any that could be mistaken for ours, in any
 * spelling, and the identity of the user.
 */
export function upstreamHeaders(raw: IncomingMessage, facts: RequestFacts, decision: Passed): RawHeaders {
  const identity = decision.outcome === 'allowed' ? Object.entries(encodedHeaders(decision.headers)) : [];
  const ours = new Set(identity.map(([name]) => foldedName(name)));
  const isProgram = decision.outcome === 'allowed' && decision.isProgram;
  const kept = endToEnd(raw.rawHeaders).filter(([name]) => {
    const folded = foldedName(name);
    if (folded === 'authorization' && isProgram) return false;
    return (
      !isIdentityHeader(name) && !isOfProxies(folded) && !ours.has(folded) && folded !== 'cookie' && folded !== 'host'
    );
  });
  const cookie = (raw.headers.cookie ?? '').split(/; */).filter((pair) => pair !== '' && !ownCookie.test(pair));
  return [
    ['Host', facts.authority],
    ...kept,
    ...(cookie.length > 0 ? [['Cookie', cookie.join('; ')] as const] : []),
    ['X-Forwarded-For', facts.clientIp],
    ['X-Forwarded-Host', facts.authority],
    ['X-Forwarded-Proto', facts.isSecure ? 'https' : 'http'],
    ...identity.filter(([, value]) => value !== ''),
  ];
}

/** Applications do not sign anybody in or out here. */
export const mayAnswer = (name: string, value: string): boolean =>
  name.toLowerCase() !== 'set-cookie' || !ownCookie.test(value.trim());
