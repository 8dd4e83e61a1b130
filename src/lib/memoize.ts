import { createLruCache } from './lru-cache.ts';

/** Memoizes a function in an LRU cache of so many entries. */
export function memoize<Key extends string | number, Value>(
  limit: number,
  make: (key: Key) => Value,
): (key: Key) => Value {
  return memoizeIn(createLruCache<Entry<Value>, Key>(limit), make);
}

/** Memoizes a function of an object for as long as the object lives. */
export function memoizeWeakly<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  return memoizeIn(new WeakMap<Key, Entry<Value>>(), make);
}

interface Entry<Value> {
  readonly value: Value;
}

interface Cache<Key, Value> {
  get(key: Key): Entry<Value> | undefined;
  set(key: Key, entry: Entry<Value>): unknown;
}

function memoizeIn<Key, Value>(cache: Cache<Key, Value>, make: (key: Key) => Value): (key: Key) => Value {
  return (key) => {
    let entry = cache.get(key);
    if (!entry) {
      entry = { value: make(key) };
      cache.set(key, entry);
    }
    return entry.value;
  };
}
