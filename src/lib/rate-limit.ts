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
  // Whole maps are forgotten: to take the oldest key out of one, again and again, costs more than all the rest.
  let recent = new Map<string, Window>();
  let older = new Map<string, Window>();

  function remember(key: string, window: Window): Window {
    if (recent.size >= keys) {
      older = recent;
      recent = new Map();
    }
    recent.set(key, window);
    return window;
  }

  function windowOf(key: string, moment: number): Window {
    const known = recent.get(key) ?? older.get(key);
    if (!known || known.ends <= moment) return remember(key, { ends: moment + windowMs, count: 0 });
    return recent.has(key) ? known : remember(key, known);
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
