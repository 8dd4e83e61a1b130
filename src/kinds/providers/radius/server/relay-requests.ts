import type { Socket } from 'node:net';
import { readPacket } from '../../../../lib/radius/packet.ts';
import type { ServerLink } from '../../../../provider/outpost/server-link.ts';
import { createFrameReader, encodeDatagram, encodeFrame, type Frame } from './relayed-datagrams.ts';
import type { Requests } from './requests.ts';

type Answer = (answer: Buffer | null) => void;

const maxWaiting = 1_000;
const maxUnsentBytes = 262_144;
/** Clients give up before. */
const answerWithinMs = 30_000;
const reconnectAfterMs = 500;

/**
 * Passes the datagrams of an outpost on to the server over one stream, which is opened with the first and again when it
 * is lost. What the server does not answer in time gets no answer.
 */
export function relayRequests(link: Pick<ServerLink, 'open'>): Requests {
  const waiting = new Map<number, Answer>();
  let lastId = 0;
  let stream: Socket | null = null;
  let opening: Promise<Socket | null> | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;

  function settle({ id, content }: Frame): void {
    waiting.get(id)?.(content.length > 0 ? content : null);
  }

  function use(opened: Socket): Socket {
    const readFrames = createFrameReader();
    stream = opened;
    opened.on('data', (piece: Buffer) => {
      try {
        for (const frame of readFrames(piece)) settle(frame);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        opened.destroy();
      }
    });
    opened.once('close', () => {
      if (stream === opened) stream = null;
      for (const answer of waiting.values()) answer(null);
    });
    return opened;
  }

  async function connect(): Promise<Socket | null> {
    const opened = await link.open({});
    return typeof opened === 'string' ? null : use(opened);
  }

  async function streamToServer(): Promise<Socket | null> {
    if (stream) return stream;
    if (!opening) {
      if (performance.now() - triedAt < reconnectAfterMs) return null;
      triedAt = performance.now();
      opening = connect().finally(() => {
        opening = null;
      });
    }
    return opening;
  }

  return {
    async answer({ datagram, ip, port }) {
      if (waiting.size >= maxWaiting || !readPacket(datagram)) return null;
      lastId = (lastId + 1) % 2 ** 32;
      const id = lastId;
      const { promise, resolve } = Promise.withResolvers<Buffer | null>();
      const timer = setTimeout(resolve, answerWithinMs, null).unref();
      waiting.set(id, resolve);
      try {
        const server = await streamToServer();
        if (!server || server.writableLength > maxUnsentBytes) return null;
        server.write(encodeFrame(id, encodeDatagram({ ip, port, datagram })));
        return await promise;
      } finally {
        clearTimeout(timer);
        waiting.delete(id);
      }
    },
  };
}
