import { lookup as lookupAddress } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { type Cidrs, contains, isPublicAddress } from '../../../../lib/cidr.ts';
import { blockedWords } from '../../../../platform/fetch/outbound-error.ts';
import { type DirectoryServer, serverName } from '../server-uri.ts';
import { DirectoryError, unreachable } from './directory-error.ts';

export interface DirectoryTls {
  /** Authorities; null: those of the system. */
  readonly ca: string | null;
  readonly pair: { readonly cert: string; readonly key: string } | null;
  readonly verifies: boolean;
  readonly sni: boolean;
}

/**
 * Opens a connection to an address that outgoing calls may reach; the address that was checked is the one connected to.
 */
export async function openSocket(server: DirectoryServer, allow: Cidrs, signal: AbortSignal): Promise<Socket> {
  const { host, port } = server;
  try {
    const found = isIP(host) === 0 ? await lookupAddress(host, { all: true }) : [{ address: host }];
    signal.throwIfAborted();
    const allowed = found.find(({ address }) => isPublicAddress(address) || contains(allow, address));
    if (!allowed) throw new DirectoryError('unreachable', blockedWords(host));
    return await opened(connect({ host: allowed.address, port }), 'connect', signal);
  } catch (error) {
    throw signal.aborted ? timedOut(server) : unreachable(serverName(server), error);
  }
}

/** Encrypts a connection. The certificate must be for the host unless verification is off. */
export async function openTls(
  socket: Socket,
  server: DirectoryServer,
  { ca, pair, verifies, sni }: DirectoryTls,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const { host } = server;
  try {
    const tls = connectTls({
      socket,
      host,
      // The certificate is verified against the host either way.
      servername: sni && isIP(host) === 0 ? host : '',
      rejectUnauthorized: verifies,
      ...(ca !== null && { ca }),
      ...pair,
    });
    return await opened(tls, 'secureConnect', signal);
  } catch (error) {
    socket.destroy();
    throw signal.aborted ? timedOut(server) : unreachable(serverName(server), error);
  }
}

export const timedOut = (server: DirectoryServer): DirectoryError =>
  new DirectoryError('unreachable', `${serverName(server)} took too long to answer`);

function opened<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const abort = () => socket.destroy(new Error('aborted'));
    const settle = (done: () => void) => {
      signal.removeEventListener('abort', abort);
      socket.removeAllListeners('error');
      socket.removeAllListeners('close');
      // Errors of an abandoned connection must not end the process.
      socket.on('error', () => {});
      done();
    };
    signal.addEventListener('abort', abort);
    socket.once(event, () => settle(() => resolve(socket)));
    socket.once('error', (error) => settle(() => reject(error)));
    socket.once('close', () => settle(() => reject(new Error('closed'))));
  });
}
