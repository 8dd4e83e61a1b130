export interface LruCache<Value, Key = string> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
}

interface Entry<Value> {
  readonly value: Value;
  readonly weight: number;
}

/**
 * A cache of bounded weight that evicts the least recently used entries. It holds at least the last `limit / 2` used.
 * Entries weigh 1 by default.
 */
export function createLruCache<Value, Key = string>(
  limit: number,
  weigh: (key: Key, value: Value) => number = () => 1,
): LruCache<Value, Key> {
  // Two generations instead of a linked list: evicting a whole map is cheaper than reordering keys on every use.
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
      // Too heavy to cache, but the old value of this key is stale now.
      weight -= recent.get(key)?.weight ?? 0;
      recent.delete(key);
      older.delete(key);
    },
  };
}
