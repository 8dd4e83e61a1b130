/** As much of CBOR (RFC 8949) as authenticators speak. */
export type Cbor = number | string | Uint8Array | readonly Cbor[] | ReadonlyMap<number | string, Cbor>;

export function writeCbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) {
    const pairs = [...value].flatMap(([key, member]) => [writeCbor(key), writeCbor(member)]);
    return Buffer.concat([head(5, value.size), ...pairs]);
  }
  const items = value as readonly Cbor[];
  return Buffer.concat([head(4, items.length), ...items.map(writeCbor)]);
}

function head(major: number, size: number): Buffer {
  const type = major << 5;
  if (size < 24) return Buffer.from([type | size]);
  if (size < 0x100) return Buffer.from([type | 24, size]);
  const bytes = Buffer.from([type | 25, 0, 0]);
  bytes.writeUInt16BE(size, 1);
  return bytes;
}
