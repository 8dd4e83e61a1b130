import { createLruCache } from './lru-cache.ts';

/** Memoizes a function in an LRU cache of this weight. Entries weigh 1 by default. */
export function memoize<Key extends string | number, Value>(
  limit: number,
  make: (key: Key) => Value,
  weigh?: (key: Key) => number,
): (key: Key) => Value {
  const cache = createLruCache<{ readonly value: Value }, Key>(limit, weigh);
  return (key) => {
    let entry = cache.get(key);
    if (!entry) {
      entry = { value: make(key) };
      cache.set(key, entry);
    }
    return entry.value;
  };
}

/** Memoizes a function of an object for as long as the object lives. */
export function memoizeWeakly<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const cache = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    let entry = cache.get(key);
    if (!entry) {
      entry = { value: make(key) };
      cache.set(key, entry);
    }
    return entry.value;
  };
}
