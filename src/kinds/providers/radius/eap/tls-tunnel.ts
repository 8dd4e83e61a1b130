import { constants } from 'node:crypto';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { createTlsServer } from '../tls-server.ts';
import { eapTypes } from './eap-packet.ts';
import type { EapPair } from './eap-pairs.ts';

export interface Tunnel {
  /** Gives the tunnel a flight of the peer. Null if the tunnel has failed. */
  receive(flight: Buffer): Promise<Received | null>;
  /** Why the tunnel has failed, for the log. */
  failure(): string;
  /** The common name of a peer whose certificate the chosen authority has issued; null without one. */
  peerName(): string | null;
  /** Why a peer has no name, for the log. */
  distrust(): string;
  /** Whether TLS 1.3 was negotiated and the handshake is complete. */
  isTls13(): boolean;
  /** Encrypts data for the peer. */
  send(data: Buffer): Promise<Buffer | null>;
  /** The master session key of a type of EAP (RFC 5216, 5281 and 9427). */
  exportMasterKey(type: number): Buffer;
  close(): void;
}

export interface Received {
  /** What TLS sends back. */
  readonly flight: Buffer;
  /** What came through the tunnel. */
  readonly data: Buffer;
}

const masterKeyLength = 64;
/** With the extended one, which nothing uses here. The keys of TLS 1.3 depend on the length. */
const exportedLength = 128;
const tls13Label = 'EXPORTER_EAP_TLS_Key_Material';
const tls12Labels: Readonly<Record<number, string>> = {
  [eapTypes.tls]: 'client EAP encryption',
  [eapTypes.ttls]: 'ttls keying material',
};
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
  let failure: string | null = null;
  let wake = () => {};
  const fail = (error?: Error) => {
    failure ??= error ? reasonOf(error) : 'it was closed';
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
  const server = createTlsServer({
    ...{ cert: certificate, key, requestCert: authority !== null, rejectUnauthorized: false },
    // No other authority counts, not even those that browsers trust.
    ...(authority !== null && { ca: authority }),
    // A resumed session would not show its certificate.
    ...{ minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_TICKET },
  });
  wire.on('error', fail).on('close', () => fail());
  server.on('tlsClientError', fail);
  server.on('secureConnection', (secured) => {
    socket = secured;
    secured.on('error', fail).on('close', () => fail());
    secured.on('data', (data: Buffer) => {
      plainLength += data.length;
      if (plainLength > maxPlainLength) return fail(new Error('it carries too much'));
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

  async function exchange(begin: () => void): Promise<Received | null> {
    if (failure !== null) return null;
    out = [];
    plain = [];
    const settled = settle();
    begin();
    await settled;
    return failure !== null ? null : { flight: Buffer.concat(out), data: Buffer.concat(plain) };
  }

  return {
    receive: (flight) => exchange(() => wire.push(flight)),
    async send(data) {
      const sent = await exchange(() => socket?.write(data));
      return sent?.flight ?? null;
    },
    failure: () => failure ?? 'it is not complete',
    isTls13: () => socket?.getProtocol() === 'TLSv1.3',
    peerName() {
      if (!socket?.authorized) return null;
      const name: unknown = socket.getPeerCertificate().subject?.CN;
      return typeof name === 'string' && name !== '' ? name : null;
    },
    distrust() {
      if (!socket) return 'the handshake is not complete';
      if (socket.authorized) return 'it has not one common name';
      return socket.authorizationError ? String(socket.authorizationError) : 'there is none';
    },
    exportMasterKey(type) {
      if (!socket) throw new Error('the tunnel is not there yet');
      // TLS 1.2 has no context, which Node takes as a missing argument only.
      const [label, ...context] =
        socket.getProtocol() === 'TLSv1.3' ? [tls13Label, Buffer.of(type)] : [tls12Labels[type]];
      const exported: Buffer = Reflect.apply(socket.exportKeyingMaterial, socket, [exportedLength, label, ...context]);
      return exported.subarray(0, masterKeyLength);
    },
    close() {
      socket?.destroy();
      wire.destroy();
    },
  };
}

/** What OpenSSL says in a few words, without addresses of its memory: `tlsv1 alert unknown ca`. */
const reasonOf = (error: Error): string => ('reason' in error ? String(error.reason) : error.message);
