import type { Socket } from 'node:net';
import { maxPacketLength, packetLength, readPacket } from '../../../../lib/radius/packet.ts';
import { limits } from './limits.ts';

export interface PeerConnection {
  /** Whether the peer has been silent, or has sent or read too slowly, for too long. */
  isOverdue(now: number): boolean;
}

type Answer = (packet: Buffer) => Promise<Buffer | null>;

/** Reads packets off a connection and writes their answers, both bounded. A malformed one ends it (RFC 6613, 2.6.4). */
export function servePackets(socket: Socket, answer: Answer): PeerConnection {
  let unread: Buffer = Buffer.alloc(0);
  let running = 0;
  let lastUsed = Date.now();
  /** Since when a packet is incomplete, or an answer unread. */
  let stalledSince: number | null = null;

  /** The next packet, if all of it has arrived. */
  function take(): Buffer | null {
    const length = packetLength(unread);
    if (length === 'malformed') return destroy();
    if (length === null || unread.length < length) return null;
    const packet = Buffer.from(unread.subarray(0, length));
    unread = unread.subarray(length);
    return readPacket(packet) ? packet : destroy();
  }

  function destroy(): null {
    socket.destroy();
    return null;
  }

  const isFull = () => running >= limits.runningOfConnection || socket.writableNeedDrain;

  function read(): void {
    while (!isFull() && !socket.destroyed) {
      const packet = take();
      if (!packet) break;
      stalledSince = null;
      void run(packet);
    }
    // A view would keep all that was received with it.
    if (unread.length < maxPacketLength) unread = Buffer.from(unread);
    const isWaiting = socket.writableNeedDrain || (unread.length > 0 && !isFull());
    stalledSince = isWaiting ? (stalledSince ?? Date.now()) : null;
    // What is not read waits in the kernel, which slows the peer down.
    if (isFull()) socket.pause();
    else socket.resume();
  }

  async function run(packet: Buffer): Promise<void> {
    running += 1;
    try {
      const bytes = await answer(packet);
      if (bytes && socket.writable) socket.write(bytes);
      lastUsed = Date.now();
    } finally {
      running -= 1;
      read();
    }
  }

  socket.on('drain', read);
  socket.on('data', (chunk: Buffer) => {
    lastUsed = Date.now();
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    read();
  });

  return {
    isOverdue: (now) =>
      (running === 0 && now - lastUsed > limits.idleMs) ||
      (stalledSince !== null && now - stalledSince > limits.stalledMs),
  };
}
