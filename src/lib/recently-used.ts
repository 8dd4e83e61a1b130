export interface RecentlyUsed<Value, Key = string> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
}

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
}

/**
 * A map that forgets what was not used lately, so that its weight stays within the limit: at least what was used last is kept,
 * up to half of the limit. Entries weigh 1 if not told otherwise.
 */
export function createRecentlyUsed<Value, Key = string>(
  limit: number,
  weigh: (key: Key, value: Value) => number = () => 1,
): RecentlyUsed<Value, Key> {
  // Whole maps are forgotten: to put each key in order as it is used, and take the oldest out again and again, costs more.
  let recent = new Map<Key, Entry<Value>>();
  let older = new Map<Key, Entry<Value>>();
  let weight = 0;

  function keep(key: Key, entry: Entry<Value>): void {
    weight -= recent.get(key)?.weight ?? 0;
    if (weight + entry.weight > limit / 2) {
      recent.delete(key);
      older = recent;
      recent = new Map();
      weight = 0;
    }
    recent.set(key, entry);
    weight += entry.weight;
  }

  return {
    get(key) {
      const used = recent.get(key);
      if (used) return used.value;
      const entry = older.get(key);
      if (entry) keep(key, entry);
      return entry?.value;
    },
    set(key, value) {
      const entry = { value, weight: weigh(key, value) };
      if (entry.weight <= limit / 2) return keep(key, entry);
      // Too heavy to be kept, but what was known under this key is so no more.
      weight -= recent.get(key)?.weight ?? 0;
      recent.delete(key);
      older.delete(key);
    },
  };
}

/** The same function, which does not make again what it made lately; at least half of `limit` is remembered. Each counts as 1 if not told otherwise. */
export function remembering<Key extends string | number, Value>(
  limit: number,
  make: (key: Key) => Value,
  weigh?: (key: Key) => number,
): (key: Key) => Value {
  const known = createRecentlyUsed<{ readonly value: Value }, Key>(limit, weigh);
  return (key) => {
    let made = known.get(key);
    if (!made) {
      made = { value: make(key) };
      known.set(key, made);
    }
    return made.value;
  };
}
