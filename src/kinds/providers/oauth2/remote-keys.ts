import { createLruCache } from '../../../lib/lru-cache.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import { OutboundError } from '../../../platform/fetch/outbound-error.ts';

/** The JSON text of the key set at an address; null when none is to be had. */
export type RemoteKeys = (url: string, now: string) => Promise<string | null>;

const goodForMs = 5 * 60_000;
/** So long nobody asks again where nothing was to be had. */
const failedForMs = 30_000;
const addressesRemembered = 200;

/** Fetches the keys of other servers when they are needed, and remembers them for a while. */
export function createRemoteKeys(fetch: GuardedFetch): RemoteKeys {
  const known = createLruCache<{ readonly keys: Promise<string | null>; readonly until: string }>(addressesRemembered);
  return async (url, now) => {
    const kept = known.get(url);
    if (kept && kept.until > now) return kept.keys;
    // Requests that come meanwhile wait for the same answer.
    const keys = fetchKeys(fetch, url);
    known.set(url, { keys, until: addMilliseconds(now, goodForMs) });
    if ((await keys) === null) known.set(url, { keys, until: addMilliseconds(now, failedForMs) });
    return keys;
  };
}

async function fetchKeys(fetch: GuardedFetch, url: string): Promise<string | null> {
  try {
    const answer = await fetch(url, { headers: { accept: 'application/json' } });
    const body = answer.status === 200 ? answer.json() : null;
    return isKeySet(body) ? JSON.stringify(body) : null;
  } catch (error) {
    if (error instanceof OutboundError) return null;
    throw error;
  }
}

export const isKeySet = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'keys' in value && Array.isArray(value.keys) && value.keys.length > 0;
