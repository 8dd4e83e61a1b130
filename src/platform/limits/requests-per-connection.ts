import type { Socket } from 'node:net';

/** Clients that pipeline send 16 requests or fewer ahead. */
const maxAtOnce = 32;

/**
 * Limits the pipelined requests of one connection that are handled at once. Node reads as many as fit into 64 KiB
 * before it serves another connection: about a thousand.
 */
export function createRequestsPerConnection(): { tryBegin(socket: Socket): boolean; end(socket: Socket): void } {
  const counts = new WeakMap<Socket, number>();
  return {
    /** False if the connection was closed because of it. */
    tryBegin(socket) {
      const count = counts.get(socket) ?? 0;
      if (count >= maxAtOnce) socket.destroy();
      if (socket.destroyed) return false;
      counts.set(socket, count + 1);
      return true;
    },
    end: (socket) => void counts.set(socket, (counts.get(socket) ?? 1) - 1),
  };
}
