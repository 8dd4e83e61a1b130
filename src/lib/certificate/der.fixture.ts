import { derTag } from './der.ts';

export function writeDer(tag: number, ...contents: Uint8Array[]): Uint8Array {
  const content = Buffer.concat(contents);
  if (content.length < 0x80) return Buffer.concat([Uint8Array.of(tag, content.length), content]);
  const hex = content.length.toString(16);
  const length = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Uint8Array.of(tag, 0x80 | length.length), length, content]);
}

export function writeObjectId(dotted: string): Uint8Array {
  const [root = 0, second = 0, ...others] = dotted.split('.').map(Number);
  const arcs = [root * 40 + second, ...others];
  return writeDer(derTag.objectId, Uint8Array.from(arcs.flatMap(writeArc)));
}

function writeArc(arc: number): number[] {
  const digits = [arc % 128];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift(0x80 | (rest % 128));
  return digits;
}

/** A non-negative integer, from its big-endian bytes. */
export function writeUnsigned(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0);
  const digits = start === -1 ? Uint8Array.of(0) : bytes.subarray(start);
  const [highest = 0] = digits;
  return writeDer(derTag.integer, highest >= 0x80 ? Uint8Array.of(0, ...digits) : digits);
}

/** A string of whole bytes. */
export function writeBitString(bytes: Uint8Array): Uint8Array {
  return writeDer(derTag.bitString, Uint8Array.of(0), bytes);
}
