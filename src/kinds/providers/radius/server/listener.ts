import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Listener } from '../../../../flow/protocol-kind.ts';
import type { Log } from '../../../../platform/log.ts';
import type { Requests } from './requests.ts';

interface At {
  readonly host: string;
  readonly port: number;
}

/** The port of the RADIUS server. */
export function createListener(requests: Requests, log: Log, { host, port }: At): Listener {
  let socket: Socket | null = null;
  return {
    ...{ name: 'RADIUS', setting: 'GATEHOUSE_RADIUS_PORT', host, port },
    async listen() {
      const opened = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4' });
      opened.on('message', (datagram, { address, port: from }) => {
        const ip = address.replace(/^::ffff:(?=\d+\.)/, '');
        requests.answer({ datagram, ip, port: from, isSecure: false }).then(
          (answer) => answer && socket === opened && opened.send(answer, from, address, () => undefined),
          (error: unknown) => log.error({ err: error }, 'a RADIUS request failed'),
        );
      });
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      opened.once('error', reject);
      opened.bind({ address: host, port, exclusive: true }, resolve);
      await promise;
      opened.off('error', reject);
      opened.on('error', (error) => log.error({ err: error }, 'the RADIUS socket failed'));
      socket = opened;
      const bound = opened.address();
      return `radius://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
    },
    async close() {
      const opened = socket;
      socket = null;
      if (opened) await new Promise<void>((resolve) => opened.close(() => resolve()));
    },
  };
}
