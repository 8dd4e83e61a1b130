import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import type { Listener } from '../../../../flow/protocol-kind.ts';
import { networksOf, type SharedNetwork } from '../../../../lib/cidr.ts';
import { createNetworkLimit, createRateLimit, type NetworkLimit } from '../../../../platform/limits/rate-limit.ts';
import type { ServerNeeds } from '../../../../provider/password-server/server-needs.ts';
import { type Arrival, type Client, createClient, type Operations } from './client.ts';
import { type Connection, openConnection } from './connection.ts';
import { limits } from './limits.ts';
import type { TlsContexts } from './tls-contexts.ts';

interface At {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

interface Open {
  readonly networks: readonly SharedNetwork[];
  readonly client: Client;
  readonly connection: Connection;
}

/** All connections over all ports, or by one outpost: their limits hold together. */
export interface Connections {
  /** Serves a connection, which is paused. */
  accept(socket: Socket, arrival: Arrival): void;
  /** Ends those that came by this port. */
  end(port: number): void;
}

const sweptEveryMs = 5_000;

export function createConnections(
  needs: ServerNeeds,
  operations: Operations,
  tls: TlsContexts,
  outpost: string | null = null,
): Connections {
  const open = new Set<Open & { readonly port: number }>();
  /** Networks of connections that wait for a certificate. */
  const arriving: (readonly SharedNetwork[])[] = [];
  const anonymous: NetworkLimit = createNetworkLimit((allowance) =>
    createRateLimit({ max: limits.anonymousPerMinute * allowance, windowMs: 60_000 }),
  );
  let timer: NodeJS.Timeout | undefined;

  /** Closes what is idle or stalled. */
  function sweep(): void {
    const now = Date.now();
    for (const { connection, client } of open) {
      const idleMs = now - connection.lastUsed;
      const mayBeIdleMs = client.isBound ? limits.boundIdleMs : limits.anonymousIdleMs;
      if (idleMs > (connection.isBusy ? limits.stalledMs : mayBeIdleMs)) connection.destroy();
    }
    if (open.size === 0) stopSweeping();
  }

  function stopSweeping(): void {
    clearInterval(timer);
    timer = undefined;
  }

  /** Makes room at the expense of who has not bound, and of who has not been heard of for longest. */
  function hasRoom(networks: readonly SharedNetwork[]): boolean {
    for (const { network, allowance } of networks) {
      const isOf = (others: readonly SharedNetwork[]) => others.some((other) => other.network === network);
      const opened = [...open].filter((one) => isOf(one.networks));
      const max = allowance === 1 ? limits.connectionsOfNetwork : limits.connectionsOfSite;
      if (opened.length + arriving.filter(isOf).length >= max) return evict(opened);
    }
    return open.size + arriving.length < limits.connections || evict([...open]);
  }

  function evict(from: readonly Open[]): boolean {
    const [oldest] = from
      .filter(({ client }) => !client.isBound)
      .sort((left, right) => left.connection.lastUsed - right.connection.lastUsed);
    oldest?.connection.destroy();
    return oldest !== undefined;
  }

  return {
    accept(socket, arrival) {
      const { clientIp, isTls } = arrival;
      const networks = networksOf(clientIp);
      if (clientIp === '' || anonymous.waitAfter(clientIp) > 0 || !hasRoom(networks)) {
        socket.destroy();
        return;
      }
      const upgrade = (plain: Socket, context: SecureContext) =>
        encrypted(plain, context, (serverName) => tls.find(needs.db.read, serverName, outpost));
      socket.on('error', () => socket.destroy());
      arriving.push(networks);
      void (async () => {
        const outer = isTls ? upgrade(socket, await tls.find(needs.db.read, null, outpost)) : socket;
        const client = createClient(needs, operations, { ...arrival, outpost, anonymous, tls, upgrade });
        const connection = openConnection(outer, {
          ...client.handler,
          closed: () => open.delete(entry),
        });
        client.attach(connection);
        const entry = { networks, client, connection, port: socket.localPort ?? 0 };
        open.add(entry);
        timer ??= setInterval(sweep, sweptEveryMs).unref();
        if (!isTls) socket.resume();
      })()
        .catch((error: unknown) => {
          needs.log.error({ err: error }, 'an LDAP connection could not be served');
          socket.destroy();
        })
        .finally(() => arriving.splice(arriving.indexOf(networks), 1));
    },
    end(port) {
      for (const entry of open)
        if (entry.port === port) entry.connection.disconnect('unavailable', 'The server is stopping.');
      if (open.size === 0) stopSweeping();
    },
  };
}

function encrypted(
  socket: Socket,
  secureContext: SecureContext,
  find: (serverName: string) => Promise<SecureContext>,
): TLSSocket {
  return new TLSSocket(socket, {
    isServer: true,
    secureContext,
    SNICallback(serverName, answer) {
      find(serverName).then(
        (found) => answer(null, found),
        (error: unknown) => answer(error instanceof Error ? error : new Error(String(error))),
      );
    },
  });
}

/** Empty once the client is gone. */
const addressOf = ({ remoteAddress = '' }: Socket): string => remoteAddress.replace(/^::ffff:(?=\d+\.)/, '');

/** A port of the LDAP server. */
export function createListener(connections: Connections, { host, port, isTls }: At): Listener {
  const server = createServer({ pauseOnConnect: true }, (socket) =>
    connections.accept(socket, { clientIp: addressOf(socket), isTls }),
  );
  const scheme = isTls ? 'ldaps' : 'ldap';
  let bound = port;
  return {
    ...{ name: scheme.toUpperCase(), setting: `GATEHOUSE_${scheme.toUpperCase()}_PORT`, host, port },
    async listen() {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      server.once('error', reject);
      server.listen({ host, port }, resolve);
      await promise;
      // The server has an address of this type once it listens on a port.
      const address = server.address() as AddressInfo;
      bound = address.port;
      const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      return `${scheme}://${shown}:${address.port}`;
    },
    async close() {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      connections.end(bound);
      await closed;
    },
  };
}
