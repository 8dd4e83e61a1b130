import { isIP } from 'node:net';
import { maxPacketLength } from '../../../../lib/radius/packet.ts';

/** A datagram on its way between an outpost and the server, by the number that both know it by. */
export interface Frame {
  readonly id: number;
  readonly content: Buffer;
}

export interface RelayedDatagram {
  readonly ip: string;
  readonly port: number;
  readonly datagram: Buffer;
}

const maxAddressLength = 100;
const maxContent = 3 + maxAddressLength + maxPacketLength;
/** The length of what follows, and the number. */
const headLength = 6;

export function encodeFrame(id: number, content: Buffer): Buffer {
  const head = Buffer.alloc(headLength);
  head.writeUInt16BE(content.length);
  head.writeUInt32BE(id, 2);
  return Buffer.concat([head, content]);
}

/** Reads frames from the pieces of a stream. Throws a `RangeError` for a frame that is longer than any. */
export function createFrameReader(): (piece: Buffer) => Frame[] {
  let unread: Buffer = Buffer.alloc(0);
  return (piece) => {
    let left = unread.length === 0 ? piece : Buffer.concat([unread, piece]);
    const frames: Frame[] = [];
    while (left.length >= headLength) {
      const length = left.readUInt16BE();
      if (length > maxContent) throw new RangeError('a frame is too long');
      const end = headLength + length;
      if (left.length < end) break;
      frames.push({ id: left.readUInt32BE(2), content: left.subarray(headLength, end) });
      left = left.subarray(end);
    }
    // A view would keep the whole piece with it.
    unread = Buffer.from(left);
    return frames;
  };
}

export function encodeDatagram({ ip, port, datagram }: RelayedDatagram): Buffer {
  const address = Buffer.from(ip, 'latin1');
  const head = Buffer.alloc(3);
  head.writeUInt16BE(port);
  head.writeUInt8(address.length, 2);
  return Buffer.concat([head, address, datagram]);
}

/** Null for what no outpost sends. */
export function readDatagram(content: Buffer): RelayedDatagram | null {
  if (content.length < 3) return null;
  const end = 3 + content.readUInt8(2);
  const ip = content.toString('latin1', 3, end);
  if (content.length < end || ip.length > maxAddressLength || isIP(ip) === 0) return null;
  return { ip, port: content.readUInt16BE(), datagram: content.subarray(end) };
}
