/** The subset of DER (X.690) needed to read a name. */
export interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Tag, length and content. */
  readonly whole: Uint8Array;
}

export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectId: 0x06,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  universalString: 0x1c,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The consecutive values in `bytes`. Throws a RangeError if they are not DER. */
export function readDer(bytes: Uint8Array): DerValue[] {
  const values: DerValue[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const value = readFirst(rest);
    values.push(value);
    rest = rest.subarray(value.whole.length);
  }
  return values;
}

function readFirst(bytes: Uint8Array): DerValue {
  const [tag = 0, firstLength] = bytes;
  if (firstLength === undefined || (tag & 0x1f) === 0x1f) throw new RangeError('not a DER value');
  const lengthBytes = firstLength < 0x80 ? 0 : firstLength & 0x7f;
  if (firstLength === 0x80 || lengthBytes > 4) throw new RangeError('not a DER length');
  const start = 2 + lengthBytes;
  const length = lengthBytes ? bytes.subarray(2, start).reduce((sum, byte) => sum * 256 + byte, 0) : firstLength;
  if (start + length > bytes.length) throw new RangeError('a DER value is cut off');
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(0, start + length) };
}

export function readObjectId(content: Uint8Array): string {
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const byte of content) {
    arc = arc * 128n + BigInt(byte & 0x7f);
    if (byte & 0x80) continue;
    arcs.push(arc);
    arc = 0n;
  }
  const [first = 0n, ...others] = arcs;
  const root = first < 80n ? first / 40n : 2n;
  return [root, first - root * 40n, ...others].join('.');
}
