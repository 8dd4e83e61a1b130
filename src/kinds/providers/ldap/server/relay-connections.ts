import type { Socket } from 'node:net';
import { encodeExtended } from '../../../../lib/ldap/message.ts';
import { createNetworkLimit, createRateLimit } from '../../../../platform/limits/rate-limit.ts';
import type { ServerLink } from '../../../../provider/outpost/server-link.ts';
import { noticeOfDisconnection } from './connection.ts';
import { limits } from './limits.ts';
import type { Connections } from './listener.ts';

/** More than the server serves, so that it decides which connections give way. */
const maxConnections = limits.connections + 100;

/** Passes the connections of an outpost on to the server, byte by byte. Nothing is read or kept here. */
export function relayConnections(link: Pick<ServerLink, 'open'>): Connections {
  const open = new Map<Socket, number>();
  const arrivals = createNetworkLimit((allowance) =>
    createRateLimit({ max: limits.anonymousPerMinute * allowance, windowMs: 60_000 }),
  );
  return {
    accept(socket, { clientIp, isTls }) {
      socket.on('error', () => socket.destroy());
      if (clientIp === '' || open.size >= maxConnections || arrivals.waitAfter(clientIp) > 0) {
        socket.destroy();
        return;
      }
      open.set(socket, socket.localPort ?? 0);
      socket.once('close', () => open.delete(socket));
      void link.open({ client: clientIp, tls: String(isTls) }).then((stream) => {
        if (typeof stream === 'string') refuse(socket, isTls);
        else connect(socket, stream);
      });
    },
    end(port) {
      for (const [socket, ofPort] of open) if (ofPort === port) socket.destroy();
    },
  };
}

/** The server cannot be reached, or does not accept this outpost. */
function refuse(socket: Socket, isTls: boolean): void {
  if (isTls) socket.destroy();
  else end(socket, encodeExtended(0, unavailable, { oid: noticeOfDisconnection }));
}

const unavailable = { code: 'unavailable', message: 'The service is not available at the moment.' } as const;

function connect(client: Socket, stream: Socket): void {
  client.once('close', () => stream.destroy());
  stream.on('error', () => stream.destroy()).once('close', () => end(client));
  if (client.destroyed) stream.destroy();
  else client.pipe(stream).pipe(client);
}

const endWithinMs = 1_000;

/** What was sent to the client arrives, unless the client does not read. */
function end(socket: Socket, last?: Buffer): void {
  if (last && socket.writable) socket.write(last);
  socket.destroySoon();
  setTimeout(() => socket.destroy(), endWithinMs).unref();
}
