import type { OutpostStream, OutpostStreams } from '../../../../provider/outpost/outpost-streams.ts';
import { createFrameReader, encodeFrame, type Frame, readDatagram } from './relayed-datagrams.ts';
import type { Requests } from './requests.ts';

/** For several processes, with those that a lost network has left behind. */
const max = 20;
const nothing: Buffer = Buffer.alloc(0);

/**
 * Answers the datagrams of outposts: a stream carries those of one process, and has the limits of a server of its own.
 * Secrets stay here.
 */
export const relayedStreams = (requestsOf: (stream: OutpostStream) => Requests): OutpostStreams => ({
  max,
  accept(stream) {
    const { socket } = stream;
    const requests = requestsOf(stream);
    const readFrames = createFrameReader();

    async function answer({ id, content }: Frame): Promise<void> {
      const relayed = readDatagram(content);
      if (!relayed) return void socket.destroy();
      const response = await requests.answer({ ...relayed, isSecure: false });
      if (!socket.writable || socket.write(encodeFrame(id, response ?? nothing))) return;
      // What is not read waits in the kernel, which slows the outpost down.
      socket.pause();
      socket.once('drain', () => socket.resume());
    }

    socket.on('error', () => socket.destroy());
    socket.on('data', (piece: Buffer) => {
      try {
        for (const frame of readFrames(piece)) answer(frame).catch(() => socket.destroy());
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        socket.destroy();
      }
    });
  },
});
