export interface RecentlyUsed<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/** A map that forgets what was used longest ago, so that its weight stays within the limit. Entries weigh 1 if not told otherwise. */
export function createRecentlyUsed<Value>(
  limit: number,
  weigh: (key: string, value: Value) => number = () => 1,
): RecentlyUsed<Value> {
  const entries = new Map<string, { value: Value; weight: number }>();
  let total = 0;

  const forget = (key: string): void => {
    const entry = entries.get(key);
    if (!entry) return;
    entries.delete(key);
    total -= entry.weight;
  };

  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      // A Map remembers the order of insertion: what is put in again becomes the youngest.
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value) {
      forget(key);
      const weight = weigh(key, value);
      if (weight > limit) return;
      entries.set(key, { value, weight });
      total += weight;
      for (const oldest of entries.keys()) {
        if (total <= limit) break;
        forget(oldest);
      }
    },
  };
}
