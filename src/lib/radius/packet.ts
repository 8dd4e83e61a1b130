import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** An attribute as it travels (RFC 2865, section 5). */
export interface Attribute {
  readonly type: number;
  readonly value: Buffer;
}

export interface Packet {
  readonly code: number;
  readonly identifier: number;
  readonly authenticator: Buffer;
  readonly attributes: readonly Attribute[];
  /** The packet without what follows it. */
  readonly bytes: Buffer;
}

export const codes = {
  accessRequest: 1,
  accessAccept: 2,
  accessReject: 3,
  accessChallenge: 11,
  statusServer: 12,
} as const;

export const attributeTypes = {
  userName: 1,
  userPassword: 2,
  state: 24,
  vendorSpecific: 26,
  proxyState: 33,
  eapMessage: 79,
  messageAuthenticator: 80,
} as const;

export const headerLength = 20;
export const maxPacketLength = 4096;
export const maxValueLength = 253;
const digestLength = 16;

/** How long the packet at the start of a stream is; null if too little of it has arrived to say. */
export function packetLength(bytes: Buffer): number | null | 'malformed' {
  if (bytes.length < 4) return null;
  const length = bytes.readUInt16BE(2);
  return length < headerLength || length > maxPacketLength ? 'malformed' : length;
}

/** Reads a datagram; null if it is malformed, which is answered with silence. */
export function readPacket(datagram: Buffer): Packet | null {
  if (datagram.length < headerLength) return null;
  const length = datagram.readUInt16BE(2);
  if (length < headerLength || length > maxPacketLength || length > datagram.length) return null;
  const bytes = datagram.subarray(0, length);
  const attributes = readAttributes(bytes.subarray(headerLength));
  return (
    attributes && {
      code: bytes.readUInt8(0),
      identifier: bytes.readUInt8(1),
      authenticator: bytes.subarray(4, headerLength),
      ...{ attributes, bytes },
    }
  );
}

export function readAttributes(bytes: Buffer): Attribute[] | null {
  const attributes: Attribute[] = [];
  let at = 0;
  while (at < bytes.length) {
    const length = bytes[at + 1] ?? 0;
    if (length < 2 || at + length > bytes.length) return null;
    attributes.push({ type: bytes[at] ?? 0, value: bytes.subarray(at + 2, at + length) });
    at += length;
  }
  return attributes;
}

/** The values of one type, in order. */
export const valuesOf = ({ attributes }: Pick<Packet, 'attributes'>, type: number): Buffer[] =>
  attributes.filter((attribute) => attribute.type === type).map(({ value }) => value);

export function encodeAttributes(attributes: readonly Attribute[]): Buffer {
  return Buffer.concat(
    attributes.map(({ type, value }) => {
      if (value.length > maxValueLength) throw new RangeError('an attribute is too long');
      return Buffer.concat([Buffer.of(type, value.length + 2), value]);
    }),
  );
}

const hmac = (secret: Buffer, bytes: Buffer): Buffer => createHmac('md5', secret).update(bytes).digest();
export const md5 = (...parts: Buffer[]): Buffer => createHash('md5').update(Buffer.concat(parts)).digest();

/** Whether a request proves that its sender has the secret (RFC 3579, section 3.2). */
export function checkMessageAuthenticator(packet: Packet, secret: Buffer): 'valid' | 'missing' | 'invalid' {
  const given = packet.attributes.filter(({ type }) => type === attributeTypes.messageAuthenticator);
  const [one] = given;
  if (!one) return 'missing';
  if (given.length > 1 || one.value.length !== digestLength) return 'invalid';
  const zeroed = Buffer.from(packet.bytes);
  zeroed.fill(0, one.value.byteOffset - packet.bytes.byteOffset, one.value.byteOffset - packet.bytes.byteOffset + 16);
  return timingSafeEqual(hmac(secret, zeroed), one.value) ? 'valid' : 'invalid';
}

export interface Response {
  readonly code: number;
  readonly attributes: readonly Attribute[];
}

/**
 * The response to a request: Message-Authenticator first, so that no chosen prefix can stand before it (Blast-RADIUS),
 * and the Proxy-State of the request last. Null if it is too long.
 */
export function encodeResponse(
  { identifier, authenticator, attributes: asked }: Packet,
  secret: Buffer,
  { code, attributes }: Response,
): Buffer | null {
  const body = encodeAttributes([
    { type: attributeTypes.messageAuthenticator, value: Buffer.alloc(digestLength) },
    ...attributes,
    ...asked.filter(({ type }) => type === attributeTypes.proxyState),
  ]);
  const length = headerLength + body.length;
  if (length > maxPacketLength) return null;
  const bytes = Buffer.concat([Buffer.of(code, identifier, length >> 8, length & 0xff), authenticator, body]);
  hmac(secret, bytes).copy(bytes, headerLength + 2);
  md5(bytes, secret).copy(bytes, 4);
  return bytes;
}

const maxPasswordLength = 128;

/** The password of a request (RFC 2865, section 5.2); null if its length is impossible. */
export function decryptPassword(hidden: Buffer, secret: Buffer, authenticator: Buffer): Buffer | null {
  if (hidden.length === 0 || hidden.length > maxPasswordLength || hidden.length % digestLength !== 0) return null;
  const plain = Buffer.alloc(hidden.length);
  let previous = authenticator;
  for (let at = 0; at < hidden.length; at += digestLength) {
    const mask = md5(secret, previous);
    for (let index = 0; index < digestLength; index++)
      plain[at + index] = (hidden[at + index] ?? 0) ^ (mask[index] ?? 0);
    previous = hidden.subarray(at, at + digestLength);
  }
  return withoutPadding(plain);
}

/** Without the null characters at its end. */
export function withoutPadding(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.subarray(0, end);
}

/** A value that only the client can read (RFC 2868, section 3.5), with its salt before it. */
export function encryptSalted(
  value: Buffer,
  { secret, authenticator, salt }: { readonly secret: Buffer; readonly authenticator: Buffer; readonly salt: Buffer },
): Buffer {
  const plain = Buffer.concat([Buffer.of(value.length), value]);
  const padded = Buffer.concat([plain, Buffer.alloc((digestLength - (plain.length % digestLength)) % digestLength)]);
  let previous = Buffer.concat([authenticator, salt]);
  for (let at = 0; at < padded.length; at += digestLength) {
    const mask = md5(secret, previous);
    for (let index = at; index < at + digestLength; index++)
      padded[index] = (padded[index] ?? 0) ^ (mask[index - at] ?? 0);
    previous = padded.subarray(at, at + digestLength);
  }
  return Buffer.concat([salt, padded]);
}
