import { randomBytes } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { readAddress, readRange } from '../cidr.ts';
import type { Json } from '../json.ts';
import { type Attribute, attributeTypes, encryptSalted, maxValueLength, type Packet } from './packet.ts';
import type { Definition, Dictionary } from './parse-dictionary.ts';

/** A value cannot be that of its attribute. */
export class ValueError extends Error {}

export interface Sealing {
  readonly secret: Buffer;
  /** The authenticator of the request. */
  readonly authenticator: Buffer;
}

const maxTag = 0x1f;

/** The name of an attribute with its tag: `Tunnel-Type:1`. */
function splitTag(name: string): { readonly name: string; readonly tag: number } {
  const [, bare = name, tag] = /^(.+):(\d{1,2})$/.exec(name) ?? [];
  return { name: bare, tag: Number(tag ?? 0) };
}

/** Attributes by name, each with a value or a list of values, as they travel. Throws a `ValueError`. */
export function encodeValues(
  values: Readonly<Record<string, Json>>,
  find: (name: string) => Definition | undefined,
  sealing: Sealing,
): Attribute[] {
  return Object.entries(values).flatMap(([key, given]) => {
    const { name, tag } = splitTag(key);
    const definition = find(name);
    if (!definition) throw new ValueError(`There is no attribute ${name}.`);
    if (tag > maxTag || (tag > 0 && !definition.hasTag)) throw new ValueError(`${key} has no such tag.`);
    const list = Array.isArray(given) ? given : [given];
    return list.flatMap((value) => (value === null ? [] : [encodeOne(definition, tag, value, sealing)]));
  });
}

function encodeOne(definition: Definition, tag: number, value: Json, sealing: Sealing): Attribute {
  const { name, code, vendor } = definition;
  const tagged = withTag(definition, tag, encodeValue(definition, value), sealing);
  const whole = vendor === null ? tagged : inVendor(vendor, code, tagged);
  if (tagged.length === 0 || whole.length > maxValueLength)
    throw new ValueError(`${name} is empty or longer than an attribute can be.`);
  return { type: vendor === null ? code : attributeTypes.vendorSpecific, value: whole };
}

export function inVendor(vendor: number, code: number, value: Buffer): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt32BE(vendor);
  head.writeUInt8(code, 4);
  head.writeUInt8((value.length + 2) & 0xff, 5);
  return Buffer.concat([head, value]);
}

/** RFC 2868: before a text the tag may be missing, in a number it takes the place of the first byte. */
function withTag(
  { hasTag, isEncrypted, type, name }: Definition,
  tag: number,
  value: Buffer,
  sealing: Sealing,
): Buffer {
  if (isEncrypted) {
    const salt = randomBytes(2);
    salt.writeUInt8((salt[0] ?? 0) | 0x80);
    return Buffer.concat([Buffer.of(...(hasTag ? [tag] : [])), encryptSalted(value, { ...sealing, salt })]);
  }
  if (!hasTag) return value;
  if (type !== 'integer') return tag === 0 ? value : Buffer.concat([Buffer.of(tag), value]);
  if (value[0] !== 0) throw new ValueError(`${name} must be less than 16777216.`);
  return Buffer.concat([Buffer.of(tag), value.subarray(1)]);
}

function encodeValue({ name, type, named }: Definition, value: Json): Buffer {
  const wrong = () => new ValueError(`${name} has no value of type ${type}.`);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') throw wrong();
  const text = String(value);
  switch (type) {
    case 'string':
      return Buffer.from(text);
    case 'octets':
      return /^0x([0-9a-f]{2})+$/i.test(text) ? Buffer.from(text.slice(2), 'hex') : Buffer.from(text);
    case 'ipaddr':
      if (!isIPv4(text)) throw wrong();
      return Buffer.from(readAddress(text) ?? []);
    case 'ipv6addr':
      if (!isIPv6(text)) throw wrong();
      return bytesOfIpv6(text);
    case 'ipv6prefix': {
      const range = readRange(text);
      if (range?.family !== 6) throw wrong();
      return Buffer.concat([Buffer.of(0, range.prefix), bytesOfIpv6(range.address)]);
    }
    case 'date':
      return numberBytes(/^\d+$/.test(text) ? Number(text) : Math.floor(Date.parse(text) / 1000), wrong);
    case 'integer':
      return numberBytes(named.get(text.toLowerCase()) ?? (/^\d{1,10}$/.test(text) ? Number(text) : Number.NaN), wrong);
  }
}

function bytesOfIpv6(text: string): Buffer {
  const bytes = Buffer.from(readAddress(text) ?? []);
  // Mapped IPv4 addresses are read as such.
  return bytes.length === 16 ? bytes : Buffer.concat([Buffer.alloc(10), Buffer.of(0xff, 0xff), bytes]);
}

function numberBytes(number: number, wrong: () => ValueError): Buffer {
  if (!Number.isInteger(number) || number < 0 || number > 0xffff_ffff) throw wrong();
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}

/** The attributes of a request that have a readable value, by name. */
export function readableValues(
  { attributes }: Pick<Packet, 'attributes'>,
  dictionary: Dictionary,
): Record<string, Json> {
  const readable = new Map<string, (string | number)[]>();
  for (const { definition, value } of attributes.flatMap((attribute) => known(attribute, dictionary))) {
    const text = readValue(definition, value);
    if (text !== null) readable.set(definition.name, [...(readable.get(definition.name) ?? []), text]);
  }
  return Object.fromEntries([...readable].map(([name, list]) => [name, list.length === 1 ? (list[0] ?? '') : list]));
}

function known({ type, value }: Attribute, dictionary: Dictionary) {
  const isVendors = type === attributeTypes.vendorSpecific && value.length > 6;
  const definition = isVendors ? dictionary.at(value.readUInt32BE(), value[4] ?? 0) : dictionary.at(null, type);
  if (!definition || definition.hasTag) return [];
  return [{ definition, value: isVendors ? value.subarray(6) : value }];
}

function readValue({ type }: Definition, value: Buffer): string | number | null {
  switch (type) {
    case 'string':
      return value.toString().replaceAll('\0', '');
    case 'integer':
      return value.length === 4 ? value.readUInt32BE() : null;
    case 'ipaddr':
      return value.length === 4 ? value.join('.') : null;
    default:
      return null;
  }
}
