import { BlockList, isIP } from 'node:net';

/** Address ranges of both families. IPv4 addresses written as IPv6 (`::ffff:10.0.0.1`) count as IPv4. */
export interface Cidrs {
  // Separate, because in one list `::/0` would also match every IPv4 address.
  readonly v4: BlockList;
  readonly v6: BlockList;
}

/** Reads `10.0.0.0/8`, `fd00::/8` or a single address. Throws a RangeError that names the first invalid text. */
export function parseCidrs(texts: readonly string[]): Cidrs {
  const cidrs = { v4: new BlockList(), v6: new BlockList() };
  for (const text of texts) {
    const range = readRange(text.trim());
    if (!range) throw new RangeError(`"${text}" is not an address range`);
    if (range.family === 4) cidrs.v4.addSubnet(range.address, range.prefix, 'ipv4');
    else cidrs.v6.addSubnet(range.address, range.prefix, 'ipv6');
  }
  return cidrs;
}

export interface Range {
  readonly address: string;
  readonly prefix: number;
  readonly family: 4 | 6;
}

export function isCidr(text: string): boolean {
  return readRange(text) !== null;
}

/** False if the text is not an address. */
export function contains(cidrs: Cidrs, ip: string): boolean {
  const family = isIP(ip);
  if (family === 0) return false;
  if (family === 4) return cidrs.v4.check(ip, 'ipv4');
  const [address = ''] = ip.split('%');
  return (mapped.check(address, 'ipv6') ? cidrs.v4 : cidrs.v6).check(address, 'ipv6');
}

/** IPv4 addresses mapped into IPv6 (RFC 4291 §2.5.5.2). */
const mapped = new BlockList();
mapped.addSubnet('::ffff:0:0', 96, 'ipv6');

const containsBytes = ({ v4, v6 }: Cidrs, bytes: Uint8Array): boolean =>
  bytes.length === 4 ? v4.check(formatAddress(bytes), 'ipv4') : v6.check(formatAddress(bytes), 'ipv6');

export const isAddress = (text: string): boolean => isIP(text) !== 0;

/**
 * Whether an address is publicly routable, by the IANA registries of special-purpose addresses (RFC 6890). An address
 * that embeds an IPv4 address (mapped, 6to4, NAT64) is as public as the embedded one.
 */
export function isPublicAddress(ip: string): boolean {
  const bytes = readAddress(ip);
  if (!bytes) return false;
  if (bytes.length === 4) return !containsBytes(specialRanges, bytes);
  if (containsBytes(sixToFour, bytes)) return isPublicAddress(formatAddress(bytes.subarray(2, 6)));
  if (containsBytes(nat64, bytes)) return isPublicAddress(formatAddress(bytes.subarray(12)));
  return containsBytes(globalUnicast, bytes) && !containsBytes(specialRanges, bytes);
}

/** The network of one subscriber: an IPv4 address, or an IPv6 /64, within which subscribers choose addresses freely. */
export function networkOf(ip: string): string {
  // IPv4 addresses have a single spelling.
  const bytes = isIP(ip) === 4 ? null : readAddress(ip);
  if (!bytes) return ip;
  return bytes.length === 4 ? formatAddress(bytes) : Buffer.from(bytes.subarray(0, 8)).toString('hex');
}

export interface SharedNetwork {
  readonly network: string;
  /** How many times the allowance of a single subscriber it gets. */
  readonly allowance: number;
}

/** Of a subscriber's network, an IPv6 /56 and a /48. */
export const networkAllowances = [1, 4, 16] as const;
export const siteAllowance = networkAllowances[2];

/**
 * The networks that limits count an address in. Sites get a whole IPv6 /48 or /56 of /64s, so the allowance grows with
 * the network, but much slower than the number of /64s in it.
 */
export function networksOf(ip: string): readonly SharedNetwork[] {
  const network = networkOf(ip);
  const [least, of56, of48] = networkAllowances;
  const own = { network, allowance: least };
  // The 16 digits of a /64; IPv4 addresses have dots.
  if (!/^[0-9a-f]{16}$/.test(network)) return [own];
  return [own, { network: network.slice(0, 14), allowance: of56 }, { network: network.slice(0, 12), allowance: of48 }];
}

/** The 4 or 16 bytes of an address, 4 for IPv4 mapped into IPv6; null if the text is not an address. */
export function readAddress(ip: string): Uint8Array | null {
  const family = isIP(ip);
  if (family === 0) return null;
  if (family === 4) return Uint8Array.from(ip.split('.'), Number);
  const bytes = readIpv6(ip);
  const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return isMapped ? bytes.subarray(12) : bytes;
}

const sixToFour = parseCidrs(['2002::/16']);
const nat64 = parseCidrs(['64:ff9b::/96']);
const globalUnicast = parseCidrs(['2000::/3']);
const specialRanges = parseCidrs([
  '0.0.0.0/8', // this network, unspecified
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays, withdrawn
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '2001::/23', // protocol assignments, Teredo, ORCHID, benchmarks
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
]);

/** The address and the prefix of a range; null if the text is not a range. */
export function readRange(text: string): Range | null {
  const [, address = '', prefixText] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bytes = readAddress(address);
  if (!bytes) return null;
  const writtenBits = isIP(address) === 4 ? 32 : 128;
  const prefix = prefixText === undefined ? writtenBits : Number(prefixText);
  if (prefix > writtenBits) return null;
  if (bytes.length === 16) return { address, prefix, family: 6 };
  // A mapped range counts its prefix from the start of the IPv6 address; a shorter prefix is not a range of IPv4.
  const ipv4Prefix = prefix - (writtenBits - 32);
  return ipv4Prefix < 0 ? null : { address: formatAddress(bytes), prefix: ipv4Prefix, family: 4 };
}

function readIpv6(ip: string): Uint8Array {
  const [withoutZone = ''] = ip.split('%');
  const dotted = /(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(withoutZone);
  const groupsOnly = dotted ? withoutZone.slice(0, dotted.index) + dottedAsGroups(dotted) : withoutZone;
  const [head = '', tail] = groupsOnly.split('::');
  const before = head ? head.split(':') : [];
  const after = tail ? tail.split(':') : [];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const groups = [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
  return Uint8Array.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

function dottedAsGroups(dotted: RegExpExecArray): string {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.slice(1).map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  return Buffer.from(bytes).toString('hex').match(/.{4}/g)?.join(':') ?? '';
}
