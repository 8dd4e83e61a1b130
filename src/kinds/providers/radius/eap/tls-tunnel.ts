import { constants } from 'node:crypto';
import { Duplex } from 'node:stream';
import { createServer, type TLSSocket } from 'node:tls';
import type { EapPair } from './eap-pairs.ts';

export interface Tunnel {
  /** Gives the tunnel a flight of the peer. Null if the tunnel has failed. */
  receive(flight: Buffer): Promise<Received | null>;
  /** The common name of a peer whose certificate the chosen authority has issued; null without one. */
  peerName(): string | null;
  exportKey(label: string): Buffer;
  close(): void;
}

export interface Received {
  /** What TLS sends back. */
  readonly flight: Buffer;
  /** What came through the tunnel. */
  readonly data: Buffer;
}

const masterKeyLength = 64;
const quietTurns = 4;
/** It answers at once, or not before it has more. */
const answerWithinMs = 1_000;
const maxPlainLength = 16_384;

/** TLS without a connection: flights come and go in packets of another protocol. */
export function openTunnel({ certificate, key, authority }: EapPair): Tunnel {
  let out: Buffer[] = [];
  let plain: Buffer[] = [];
  let plainLength = 0;
  let socket: TLSSocket | null = null;
  let hasFailed = false;
  let wake = () => {};
  const fail = () => {
    hasFailed = true;
    wake();
  };
  const wire = new Duplex({
    read() {},
    write(chunk: Buffer, _, done) {
      out.push(chunk);
      wake();
      done();
    },
  });
  const server = createServer({
    ...{ cert: certificate, key, requestCert: authority !== null, rejectUnauthorized: false },
    // No other authority counts, not even those that browsers trust.
    ...(authority !== null && { ca: authority }),
    // The keys of TLS 1.3 are derived in another way, and a resumed session would not show its certificate.
    ...{ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_TICKET },
  });
  wire.on('error', fail).on('close', fail);
  server.on('tlsClientError', fail);
  server.on('secureConnection', (secured) => {
    socket = secured;
    secured.on('error', fail).on('close', fail);
    secured.on('data', (data: Buffer) => {
      plainLength += data.length;
      if (plainLength > maxPlainLength) return fail();
      plain.push(data);
      wake();
    });
    wake();
  });
  // A server takes any stream for a connection; it listens nowhere.
  server.emit('connection', wire);

  /** Waits until TLS has done something, and then nothing more for some turns of the event loop. */
  async function settle(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, answerWithinMs);
    wake = resolve;
    await promise;
    clearTimeout(timer);
    let quiet = 0;
    wake = () => {
      quiet = 0;
    };
    for (; quiet < quietTurns; quiet++) await new Promise((next) => setImmediate(next));
    wake = () => {};
  }

  return {
    async receive(flight) {
      if (hasFailed) return null;
      out = [];
      plain = [];
      const settled = settle();
      wire.push(flight);
      await settled;
      if (hasFailed) return null;
      return { flight: Buffer.concat(out), data: Buffer.concat(plain) };
    },
    peerName() {
      if (!socket?.authorized) return null;
      const name: unknown = socket.getPeerCertificate().subject?.CN;
      return typeof name === 'string' && name !== '' ? name : null;
    },
    exportKey(label) {
      if (!socket) throw new Error('the tunnel is not there yet');
      // Without a context, which Node takes as a missing argument only.
      return Reflect.apply(socket.exportKeyingMaterial, socket, [masterKeyLength, label]);
    },
    close() {
      socket?.destroy();
      wire.destroy();
    },
  };
}
