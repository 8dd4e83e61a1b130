import { createLruCache } from './lru-cache.ts';

export interface RateLimit {
  /** Counts one more. Returns zero below the limit, else the milliseconds until the window resets. */
  waitAfter(key: string): number;
}

/** What other instances have counted. */
export interface CountsOfOthers {
  /** Tells them of so many more of these. */
  add(key: string, by: number): void;
  /** How many there are of these in the window of time that runs, as far as is known. */
  of(key: string): number;
}

/** Instances share only counts above this share of the limit: most keys never get there. */
export const worthTelling = 1 / 20;

interface Window {
  readonly ends: number;
  count: number;
}

export interface Limit {
  readonly max: number;
  readonly windowMs: number;
  readonly keys?: number;
  readonly others?: CountsOfOthers | null;
}

/** So many in each window of time, which begins with the first of them. At least the last `keys` that came are remembered. */
export function createRateLimit(
  { max, windowMs, keys = 5_000, others = null }: Limit,
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
      const tellFrom = Math.ceil(max * worthTelling);
      if (window.count >= tellFrom) others?.add(key, window.count === tellFrom ? tellFrom : 1);
      return window.count + (others?.of(key) ?? 0) > max ? window.ends - moment : 0;
    },
  };
}
