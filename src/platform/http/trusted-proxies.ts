import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { contains, isAddress, parseCidrs } from '../../lib/cidr.ts';
import { memoize } from '../../lib/memoize.ts';

/** The client of a request, and the host and scheme that it used. */
interface ClientAddress {
  readonly clientIp: string;
  /** Without the port. */
  readonly host: string;
  /** The host as received, with the port if present. */
  readonly authority: string;
  /** Whether a trusted proxy sent the request. */
  readonly isForwarded: boolean;
  readonly isSecure: boolean;
}

export interface TrustedProxies {
  clientAddressOf(request: IncomingMessage): ClientAddress;
}

const maxPeers = 1_000;
/** A proxy that sets X-Forwarded-For may pass on what the client sent in these. */
const otherHeaders = ['forwarded', 'x-real-ip'];

/**
 * Trusts `X-Forwarded-*` headers only from these address ranges. `onUnreadable` gets the name of the header by which a
 * trusted proxy identifies its client in an unsupported way: all its clients then share one address and one rate limit.
 */
export function createTrustedProxies(
  trustedProxies: readonly string[],
  onUnreadable: (header: string) => void,
): TrustedProxies {
  const cidrs = parseCidrs(trustedProxies);
  const isTrusted = (address: string) => contains(cidrs, address);
  // A check takes 1 µs, and most connections come from the same few proxies.
  const isTrustedPeer = memoize(maxPeers, isTrusted);

  /** The last hop that is not a trusted proxy. Values that are not addresses are ignored. */
  function forwardedFor(peer: string, headers: IncomingHttpHeaders): string {
    const forwarded = textOf(headers['x-forwarded-for']);
    if (forwarded === undefined) {
      const other = otherHeaders.find((name) => headers[name] !== undefined);
      if (other !== undefined) onUnreadable(other);
      return peer;
    }
    let left = forwarded;
    for (;;) {
      const at = left.lastIndexOf(',');
      const hop = parseHop(left.slice(at + 1));
      if (at === -1 || !isTrusted(hop)) {
        if (isAddress(hop)) return hop;
        onUnreadable('x-forwarded-for');
        return peer;
      }
      left = left.slice(0, at);
    }
  }

  return {
    clientAddressOf({ socket, headers }) {
      const peer = socket.remoteAddress ?? '255.255.255.255';
      const isEncrypted = 'encrypted' in socket && socket.encrypted === true;
      if (!isTrustedPeer(peer)) {
        const { host: authority = '' } = headers;
        return {
          clientIp: plainAddress(peer),
          host: withoutPort(authority),
          authority,
          isForwarded: false,
          isSecure: isEncrypted,
        };
      }
      const proto = lastOf(headers['x-forwarded-proto']);
      const authority = lastOf(headers['x-forwarded-host']) ?? headers.host ?? '';
      return {
        clientIp: plainAddress(forwardedFor(peer, headers)),
        host: withoutPort(authority),
        authority,
        isForwarded: true,
        isSecure: proto === undefined ? isEncrypted : proto === 'https',
      };
    },
  };
}

/** Some gateways append the port, which takes brackets and sometimes quotes for IPv6 (as in RFC 7239 §6). */
function parseHop(text: string): string {
  const hop = text.trim().replace(/^"(.*)"$/, '$1');
  return /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
}

/** Dual-stack sockets report IPv4 addresses as IPv6. */
const plainAddress = (address: string): string =>
  address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;

function withoutPort(host = ''): string {
  if (host.startsWith('[')) return host.slice(0, host.indexOf(']') + 1);
  const at = host.indexOf(':');
  return at === -1 ? host : host.slice(0, at);
}

const textOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

const lastOf = (value: string | string[] | undefined): string | undefined => textOf(value)?.split(',').at(-1)?.trim();
