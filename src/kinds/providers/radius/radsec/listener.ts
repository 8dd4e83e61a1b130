import { createServer } from 'node:net';
import type { Listener } from '../../../../flow/protocol-kind.ts';
import type { Connections } from './connections.ts';

/** The port of RADIUS over TLS (RFC 6614). */
export function createRadSecListener(
  connections: Connections,
  { host, port }: { readonly host: string; readonly port: number },
): Listener {
  const server = createServer({ noDelay: true }, connections.accept);
  return {
    ...{ name: 'RadSec', setting: 'GATEHOUSE_RADSEC_PORT', host, port },
    async listen() {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      server.once('error', reject);
      server.listen({ host, port }, resolve);
      await promise;
      const bound = server.address();
      if (bound === null || typeof bound === 'string') throw new Error('the RadSec server has no port');
      return `radsec://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
    },
    async close() {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      connections.endAll();
      await closed;
    },
  };
}
