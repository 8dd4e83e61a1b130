import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { buildConnector } from 'undici';
import { type Cidrs, contains, isPublicAddress } from '../../lib/cidr.ts';
import { blockedWords, OutboundError } from './outbound-error.ts';

export type Lookup = (hostname: string) => Promise<LookupAddress[]>;

/** Trusted authorities and client certificate; by default the system's authorities and none. */
export type TlsOptions = Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'>;

interface Guard {
  allow: Cidrs;
  lookup: Lookup;
  timeoutMs: number;
  tls: TlsOptions;
}

/**
 * Connects only to public addresses and to allowed ranges. It checks the very address that it connects to: a name
 * resolved once for the check and again for the connection could change in between (DNS rebinding).
 */
export function createGuardedConnect(build: typeof buildConnector, guard: Guard): buildConnector.connector {
  const isAllowed = (address: string): boolean => isPublicAddress(address) || contains(guard.allow, address);
  const connect = build({
    ...guard.tls,
    allowH2: false,
    timeout: guard.timeoutMs,
    lookup: createGuardedLookup(guard.lookup, isAllowed),
  });
  return (options, callback) => {
    // Node does not look up literal addresses.
    if (isIP(options.hostname) === 0 || isAllowed(options.hostname)) connect(options, callback);
    else process.nextTick(callback, blocked(options.hostname), null);
  };
}

function createGuardedLookup(lookup: Lookup, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    const answer = (addresses: LookupAddress[]): void => {
      const allowed = addresses.filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (!first) callback(blocked(hostname), '', 0);
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    };
    lookup(hostname).then(answer, (error: NodeJS.ErrnoException) => callback(error, '', 0));
  };
}

function blocked(host: string): OutboundError {
  return new OutboundError('blocked', blockedWords(host));
}
