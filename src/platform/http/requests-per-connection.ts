import type { Socket } from 'node:net';

/** Programs that send requests ahead of the answers send 16 or fewer. */
const maxAtOnce = 32;

/**
 * Bounds the requests of one connection that are worked on at once. Node reads as many as fit into 64 KiB before anybody
 * else has a turn: a thousand for each connection of a stranger.
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
