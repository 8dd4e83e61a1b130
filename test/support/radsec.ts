import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import type { KeyPair } from './radius-network.ts';
import { readAnswer, type WireAnswer } from './radius-wire.ts';

/** A client of RADIUS over TLS. */
export interface RadSecClient {
  readonly socket: TLSSocket;
  /** Sends bytes, and gives the next answers. Rejects if there are none, or the server ends the connection. */
  ask(bytes: Buffer, count?: number): Promise<WireAnswer[]>;
  /** Resolves when the server has ended the connection. */
  readonly ended: Promise<void>;
  close(): void;
}

interface Options {
  readonly port: number;
  /** The certificate that the server has to show. */
  readonly serverCertificate: string;
  readonly pair?: KeyPair;
}

export async function connectRadSec({ port, serverCertificate, pair }: Options): Promise<RadSecClient> {
  const socket = connect({
    ...{ host: '127.0.0.1', port, ca: serverCertificate, checkServerIdentity: () => undefined },
    ...(pair && { cert: pair.certificate, key: pair.key }),
  });
  socket.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  const answers: WireAnswer[] = [];
  let onAnswer = () => {};
  onPackets(socket, (packet) => {
    answers.push(readAnswer(packet));
    onAnswer();
  });
  await Promise.race([new Promise((resolve) => socket.once('secureConnect', resolve)), ended]);
  return {
    ...{ socket, ended },
    close: () => socket.destroy(),
    async ask(bytes, count = 1) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      onAnswer = () => answers.length >= count && resolve();
      void ended.then(() => reject(new Error('the server ended the connection')));
      const timer = setTimeout(() => reject(new Error('no answer')), 5_000);
      socket.write(bytes);
      await promise.finally(() => clearTimeout(timer));
      return answers.splice(0, count);
    },
  };
}

/** Passes datagrams to a connection and back, for clients that know UDP alone and have the secret `radsec`. */
export async function relayToRadSec({ socket }: RadSecClient): Promise<{ port: number; close(): void }> {
  const udp = createSocket('udp4');
  let client = 0;
  udp.on('message', (datagram, { port }) => {
    client = port;
    socket.write(datagram);
  });
  onPackets(socket, (packet) => udp.send(packet, client, '127.0.0.1'));
  udp.bind(0, '127.0.0.1');
  await once(udp, 'listening');
  return { port: udp.address().port, close: () => udp.close() };
}

function onPackets(socket: TLSSocket, handle: (packet: Buffer) => void): void {
  let unread = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    while (unread.length >= 4 && unread.length >= unread.readUInt16BE(2)) {
      handle(unread.subarray(0, unread.readUInt16BE(2)));
      unread = unread.subarray(unread.readUInt16BE(2));
    }
  });
}
