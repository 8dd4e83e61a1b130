/** Codes and types of EAP (RFC 3748). */
export const eapCodes = { request: 1, response: 2, success: 3, failure: 4 } as const;
export const eapTypes = { identity: 1, nak: 3, tls: 13, ttls: 21 } as const;

export interface EapResponse {
  readonly id: number;
  readonly type: number;
  readonly data: Buffer;
}

/** Reads what a peer answers; null if it is malformed or no response. */
export function readEapResponse(bytes: Buffer): EapResponse | null {
  if (bytes.length < 5 || bytes[0] !== eapCodes.response) return null;
  const length = bytes.readUInt16BE(2);
  if (length < 5 || length > bytes.length) return null;
  return { id: bytes[1] ?? 0, type: bytes[4] ?? 0, data: bytes.subarray(5, length) };
}

export function encodeEapRequest(id: number, type: number, data: Buffer): Buffer {
  const length = 5 + data.length;
  return Buffer.concat([Buffer.of(eapCodes.request, id, length >> 8, length & 0xff, type), data]);
}

/** The end of a conversation. */
export const encodeEapEnd = (isSuccess: boolean, id: number): Buffer =>
  Buffer.of(isSuccess ? eapCodes.success : eapCodes.failure, id, 0, 4);

const flags = { hasLength: 0x80, hasMore: 0x40, isStart: 0x20 } as const;

/** A part of a TLS flight (RFC 5216, section 3.1; RFC 5281, section 9.1). */
export interface TlsFragment {
  readonly hasMore: boolean;
  readonly data: Buffer;
}

export function readTlsFragment(data: Buffer): TlsFragment | null {
  const bits = data[0];
  if (bits === undefined) return null;
  const start = bits & flags.hasLength ? 5 : 1;
  if (data.length < start) return null;
  return { hasMore: (bits & flags.hasMore) !== 0, data: data.subarray(start) };
}

export const startFragment = Buffer.of(flags.isStart);
export const emptyFragment = Buffer.of(0);

/** With its RADIUS packet below 1,024 bytes, which FreeRADIUS takes by TLS unless `fragment_size` is set. */
const fragmentLength = 900;

/** The fragments of a flight; the first says how long it is. */
export function fragmentsOf(flight: Buffer): Buffer[] {
  const fragments: Buffer[] = [];
  for (let at = 0; at < flight.length; at += fragmentLength) {
    const more = at + fragmentLength < flight.length ? flags.hasMore : 0;
    const head = Buffer.alloc(at === 0 ? 5 : 1);
    head.writeUInt8(more | (at === 0 ? flags.hasLength : 0));
    if (at === 0) head.writeUInt32BE(flight.length, 1);
    fragments.push(Buffer.concat([head, flight.subarray(at, at + fragmentLength)]));
  }
  return fragments;
}

const maxAvps = 20;
const vendorFlag = 0x80;

/**
 * The AVPs in a tunnel (RFC 5281, section 10.1), by code; null if they are malformed. Those of vendors are left out.
 */
export function readAvps(bytes: Buffer): Map<number, Buffer> | null {
  const avps = new Map<number, Buffer>();
  let at = 0;
  for (let count = 0; at < bytes.length; count++) {
    if (count === maxAvps || bytes.length - at < 8) return null;
    const bits = bytes[at + 4] ?? 0;
    const length = bytes.readUIntBE(at + 5, 3);
    const head = bits & vendorFlag ? 12 : 8;
    if (length < head || at + length > bytes.length) return null;
    const code = bytes.readUInt32BE(at);
    if (head === 8) {
      if (avps.has(code)) return null;
      avps.set(code, bytes.subarray(at + head, at + length));
    }
    at += length + ((4 - (length % 4)) % 4);
  }
  return avps;
}
