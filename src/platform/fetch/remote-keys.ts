import { createLruCache } from '../../lib/lru-cache.ts';
import { addMilliseconds } from '../clock.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
import { OutboundError } from './outbound-error.ts';

/**
 * The JSON text of the key set at an address; null if there is none. A `kid` missing from the cached set triggers a new
 * fetch, so that a rotated key works at once.
 */
export type RemoteKeys = (url: string, now: string, kid?: string) => Promise<string | null>;

interface Cached {
  readonly keys: Promise<string | null>;
  readonly until: string;
  /** The earliest next fetch, whatever key is missing: anyone can send an unknown `kid`. */
  readonly refetchFrom: string;
}

const validForMs = 5 * 60_000;
/** The minimum time between two fetches of an address. */
const floorMs = 30_000;
const maxAddresses = 200;
const maxSetBytes = 262_144;

/** Fetches the keys of other servers on demand, and caches them. */
export function createRemoteKeys(fetch: GuardedFetch): RemoteKeys {
  const cache = createLruCache<Cached>(maxAddresses);
  return async (url, now, kid) => {
    const cached = cache.get(url);
    const current = cached && cached.until > now ? cached : null;
    if (current && (current.refetchFrom > now || (await mayContainKey(current.keys, kid)))) return current.keys;
    const refetchFrom = addMilliseconds(now, floorMs);
    const fetched = fetchKeys(fetch, url);
    // If a rotated key cannot be fetched, the cached ones stay valid. Concurrent requests share one fetch.
    const keys = fetched.then((found) => found ?? current?.keys ?? null);
    cache.set(url, { keys, until: addMilliseconds(now, validForMs), refetchFrom });
    if ((await fetched) === null) cache.set(url, { keys, until: current?.until ?? refetchFrom, refetchFrom });
    return keys;
  };
}

async function mayContainKey(keys: Promise<string | null>, kid: string | undefined): Promise<boolean> {
  const text = await keys;
  if (kid === undefined || text === null) return true;
  const set: { readonly keys: readonly { readonly kid?: unknown }[] } = JSON.parse(text);
  return set.keys.some((key) => key?.kid === kid);
}

async function fetchKeys(fetch: GuardedFetch, url: string): Promise<string | null> {
  try {
    const answer = await fetch(url, { headers: { accept: 'application/json' }, maxBytes: maxSetBytes });
    const body = answer.status === 200 ? answer.json() : null;
    return isKeySet(body) ? JSON.stringify(body) : null;
  } catch (error) {
    if (error instanceof OutboundError) return null;
    throw error;
  }
}

export const isKeySet = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'keys' in value && Array.isArray(value.keys) && value.keys.length > 0;
