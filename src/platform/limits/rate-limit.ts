import { networksOf } from '../../lib/cidr.ts';
import { createLruCache } from '../../lib/lru-cache.ts';

export interface RateLimit {
  /** Whether the limit is reached. Counts nothing. */
  isReached(key: string): boolean;
  /** Counts one more. Returns zero below the limit, else the milliseconds until the window resets. */
  waitAfter(key: string): number;
}

/** Shares counts with other instances. */
export interface CountsOfOthers {
  /** Reports more of these to the others. */
  add(key: string, by: number): void;
  /** The others' count in the current window, as far as known. */
  of(key: string): number;
}

/** Instances share only counts above this fraction of the limit, which most keys never reach. */
const sharedFrom = 1 / 20;

interface Window {
  readonly ends: number;
  count: number;
}

/** A limit by network: an IPv4 address, or an IPv6 /64, /56 and /48 together. */
export interface NetworkLimit {
  isReached(ip: string, who?: string): boolean;
  /** Counts one more in each network of the address. Returns zero below all limits, else the longest wait. */
  waitAfter(ip: string, who?: string): number;
}

/** `create` makes a limit with that many times the allowance of a single subscriber. */
export function createNetworkLimit(create: (allowance: number) => RateLimit): NetworkLimit {
  const limits = new Map<number, RateLimit>();
  function limitsOf(ip: string, who: string) {
    return networksOf(ip).map(({ network, allowance }) => {
      const limit = limits.get(allowance) ?? create(allowance);
      limits.set(allowance, limit);
      return { limit, key: `${network} ${who}` };
    });
  }
  return {
    isReached: (ip, who = '') => limitsOf(ip, who).some(({ limit, key }) => limit.isReached(key)),
    waitAfter: (ip, who = '') => Math.max(...limitsOf(ip, who).map(({ limit, key }) => limit.waitAfter(key))),
  };
}

export interface Limit {
  readonly max: number;
  readonly windowMs: number;
  readonly keys?: number;
  readonly others?: CountsOfOthers | null;
}

/** A fixed-window limit; a window begins with its first count. At least the last `keys` keys are remembered. */
export function createRateLimit(
  { max, windowMs, keys = 5_000, others = null }: Limit,
  now: () => number = Date.now,
): RateLimit {
  const windows = createLruCache<Window>(2 * keys);

  function windowOf(key: string, moment: number): Window {
    const current = windows.get(key);
    if (current && current.ends > moment) return current;
    const begun = { ends: moment + windowMs, count: 0 };
    windows.set(key, begun);
    return begun;
  }

  return {
    isReached(key) {
      const window = windows.get(key);
      const own = window && window.ends > now() ? window.count : 0;
      return own + (others?.of(key) ?? 0) >= max;
    },
    waitAfter(key) {
      const moment = now();
      const window = windowOf(key, moment);
      window.count += 1;
      const threshold = Math.ceil(max * sharedFrom);
      if (window.count >= threshold) others?.add(key, window.count === threshold ? threshold : 1);
      return window.count + (others?.of(key) ?? 0) > max ? window.ends - moment : 0;
    },
  };
}
