import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { networksOf, type SharedNetwork } from '../../../../lib/cidr.ts';
import { createNetworkLimit, createRateLimit } from '../../../../platform/limits/rate-limit.ts';
import type { ServerNeeds } from '../../../../provider/password-server/server-needs.ts';
import { findTlsPair } from '../eap/eap-pairs.ts';
import type { ServedProvider } from '../served-providers.ts';
import type { Clients } from '../server/clients.ts';
import type { Complain } from '../server/complaints.ts';
import type { Requests } from '../server/requests.ts';
import { createTlsServer } from '../tls-server.ts';
import { limits } from './limits.ts';
import { type PeerConnection, servePackets } from './peer-connection.ts';

/** TLS protects each packet; the secret, which everybody knows, proves nothing (RFC 6614, section 2.3). */
const overTls = { secret: Buffer.from('radsec'), require_message_authenticator: false };

interface RadsecConnectionNeeds extends Pick<ServerNeeds, 'db' | 'key' | 'log'> {
  readonly clients: Clients;
  readonly requests: Requests;
  readonly complain: Complain;
}

interface Open {
  readonly socket: Socket;
  readonly networks: readonly SharedNetwork[];
  readonly since: number;
  /** Null until the peer has shown its certificate. */
  packets: PeerConnection | null;
}

export interface Connections {
  accept(socket: Socket): void;
  endAll(): void;
}

/** The connections of RadSec clients, bounded in number and time. */
export function createConnections(needs: RadsecConnectionNeeds): Connections {
  const { db, key, clients, complain } = needs;
  const open = new Set<Open>();
  const handshakes = createNetworkLimit((allowance) =>
    createRateLimit({ max: limits.connectionsPerMinute * allowance, windowMs: 60_000 }),
  );
  let timer: NodeJS.Timeout | undefined;

  function sweep(): void {
    const now = Date.now();
    for (const { socket, since, packets } of open)
      if (packets ? packets.isOverdue(now) : now - since > 2 * limits.handshakeMs) socket.destroy();
  }

  function add(socket: Socket, networks: readonly SharedNetwork[]): Open {
    const entry: Open = { socket, networks, since: Date.now(), packets: null };
    open.add(entry);
    timer ??= setInterval(sweep, limits.sweptEveryMs).unref();
    socket.on('close', () => {
      open.delete(entry);
      if (open.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
    return entry;
  }

  /** Makes room at the expense of the oldest connection without a certificate. */
  function hasRoom(networks: readonly SharedNetwork[]): boolean {
    for (const { network, allowance } of networks) {
      const opened = [...open].filter((one) => one.networks.some((other) => other.network === network));
      const max = allowance === 1 ? limits.connectionsOfNetwork : limits.connectionsOfSite;
      if (opened.length >= max) return evict(opened);
    }
    return open.size < limits.connections || evict([...open]);
  }

  function evict(from: readonly Open[]): boolean {
    const oldest = from.find(({ packets }) => packets === null);
    if (oldest) open.delete(oldest);
    oldest?.socket.destroy();
    return oldest !== undefined;
  }

  /** Why a connection is refused; null if its handshake has begun. */
  async function begin(entry: Open, ip: string): Promise<string | null> {
    const provider = await clients.find(ip);
    if (!provider) return 'no provider that serves an application has a network for it';
    const { radsec_authority: authority } = provider;
    if (authority === null) return 'its provider has no CA for RadSec clients';
    const pair = await db.scope(() => findTlsPair(db.read, key.box, provider.pk));
    if (!pair) return 'its provider has no key pair';
    const server = createTlsServer({
      ...{ cert: pair.certificate, key: pair.key, minVersion: 'TLSv1.2' },
      // No other authority counts, not even those that browsers trust.
      ...{ ca: authority, requestCert: true, rejectUnauthorized: true },
      handshakeTimeout: limits.handshakeMs,
    });
    server.on('tlsClientError', ({ message }) => {
      complain(ip, `the TLS handshake failed: ${message}`);
      entry.socket.destroy();
    });
    server.on('secureConnection', (secured) => serve(entry, secured, { ip, provider }));
    // It takes a connection that another server has accepted; it listens nowhere.
    server.emit('connection', entry.socket);
    return null;
  }

  function serve(entry: Open, secured: TLSSocket, { ip, provider }: { ip: string; provider: ServedProvider }): void {
    const port = secured.remotePort ?? 0;
    const validUntil = Date.parse(secured.getPeerCertificate().valid_to);
    secured.on('error', () => secured.destroy());
    secured.on('close', () => entry.socket.destroy());
    entry.packets = servePackets(secured, async (datagram) => {
      try {
        const known = await clients.find(ip);
        // What the handshake was based on may have changed since.
        if (known && isSameTrust(known, provider) && Date.now() < validUntil)
          return await needs.requests.answer({
            ...{ datagram, ip, port, isSecure: true },
            known: { ...known, ...overTls },
          });
        secured.destroy();
      } catch (error) {
        needs.log.error({ err: error }, 'a RadSec request failed');
      }
      return null;
    });
  }

  return {
    accept(socket) {
      const ip = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
      const networks = networksOf(ip);
      socket.on('error', () => socket.destroy());
      if (ip === '' || handshakes.waitAfter(ip) > 0 || !hasRoom(networks)) {
        socket.destroy();
        return;
      }
      begin(add(socket, networks), ip)
        .then((why) => {
          if (why === null) return;
          complain(ip, why);
          socket.destroy();
        })
        .catch((error: unknown) => {
          needs.log.error({ err: error }, 'a RadSec connection could not be served');
          socket.destroy();
        });
    },
    endAll() {
      for (const { socket } of open) socket.destroy();
    },
  };
}

const isSameTrust = (one: ServedProvider, other: ServedProvider): boolean =>
  one.pk === other.pk && one.certificate === other.certificate && one.radsec_authority === other.radsec_authority;
