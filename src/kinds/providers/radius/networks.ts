import { readAddress, readRange } from '../../../lib/cidr.ts';

export interface Network {
  /** As it was entered. */
  readonly text: string;
  /** The same for every spelling of the network. */
  readonly key: string;
  readonly bits: number;
  readonly prefix: string;
}

/** The networks of a comma-separated list; null for each invalid one. */
export function readNetworks(list: string): (Network | null)[] {
  return list.split(',').map((part) => {
    const text = part.trim();
    const range = readRange(text);
    const bytes = range && readAddress(range.address);
    if (!range || !bytes) return null;
    const prefix = bitsOf(bytes).slice(0, range.prefix);
    return { text, key: keyOf(range.family, prefix), bits: range.prefix, prefix: `${range.family}${prefix}` };
  });
}

const keyOf = (family: number, prefix: string): string => `${family}:${prefix}`;
const bitsOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');

export function networksComplaint(list: string): string | null {
  const parts = list.split(',');
  if (parts.length > 200) return 'Enter no more than 200 networks.';
  const networks = readNetworks(list);
  const wrong = parts.find((_, at) => !networks[at]);
  return wrong === undefined ? null : `“${wrong.trim()}” is not a network such as 192.0.2.0/24.`;
}

/** Whether a network lies in another, or is the same. */
export const isWithin = (inner: Network, outer: Network): boolean => inner.prefix.startsWith(outer.prefix);

/** Finds what the longest network of an address leads to. */
export function createNetworkTable<Value>(
  entries: readonly (readonly [string, Value])[],
): (ip: string) => Value | null {
  const byKey = new Map<string, Value>();
  const lengths = new Set<number>();
  for (const [list, value] of entries)
    for (const network of readNetworks(list)) {
      if (!network || byKey.has(network.key)) continue;
      byKey.set(network.key, value);
      lengths.add(network.bits);
    }
  const longestFirst = [...lengths].sort((one, other) => other - one);
  return (ip) => {
    const bytes = readAddress(ip.split('%', 1)[0] ?? ip);
    if (!bytes) return null;
    const bits = bitsOf(bytes);
    const family = bytes.length === 4 ? 4 : 6;
    for (const length of longestFirst) {
      if (length > bits.length) continue;
      const found = byKey.get(keyOf(family, bits.slice(0, length)));
      if (found !== undefined) return found;
    }
    return null;
  };
}
