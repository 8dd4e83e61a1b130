import { createLruCache } from './lru-cache.ts';

export interface RateLimit {
  /** Counts one more of these. Zero while there are not too many, else how many milliseconds are left until the count starts anew. */
  waitAfter(key: string): number;
}

interface Window {
  readonly ends: number;
  count: number;
}

/** So many in each window of time, which begins with the first of them. At least the last `keys` that came are remembered. */
export function createRateLimit(
  { most, windowMs, keys = 5_000 }: { readonly most: number; readonly windowMs: number; readonly keys?: number },
  now: () => number = Date.now,
): RateLimit {
  const windows = createLruCache<Window>(2 * keys);

  function windowOf(key: string, moment: number): Window {
    const known = windows.get(key);
    if (known && known.ends > moment) return known;
    const begun = { ends: moment + windowMs, count: 0 };
    windows.set(key, begun);
    return begun;
  }

  return {
    waitAfter(key) {
      const moment = now();
      const window = windowOf(key, moment);
      window.count += 1;
      return window.count > most ? window.ends - moment : 0;
    },
  };
}
