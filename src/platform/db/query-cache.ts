import type { Database, Query, Watched } from './database.ts';

/** What was read before and is still so. */
export interface QueryCache<Value> {
  /** What `load` reads under this key by the query it is given, or what it read last time if none of those tables has changed since. */
  read(db: Database, key: string | number, load: (query: Query) => Promise<Value>): Promise<Value>;
  /** How much is kept that may be used. */
  count(db: Database): number;
  clear(db: Database): void;
}

/**
 * Keeps what was read for as long as it is so. What is not there is not kept, since anybody can ask for it. Where a database does
 * not tell of changes, nothing is kept.
 */
export function createQueryCache<Value>(most: number): QueryCache<Value> {
  const kept = new WeakMap<Database, Map<string | number, Watched<Value>>>();

  function of(db: Database): Map<string | number, Watched<Value>> {
    let values = kept.get(db);
    if (!values) {
      values = new Map();
      kept.set(db, values);
    }
    return values;
  }

  return {
    async read(db, key, load) {
      if (!db.watch) return load(db.read);
      const values = of(db);
      const known = values.get(key);
      if (known?.isCurrent()) return known.value;
      const fresh = await db.watch(load);
      values.delete(key);
      if (fresh.value === null) return fresh.value;
      if (values.size >= most) values.delete(values.keys().next().value as string | number);
      values.set(key, fresh);
      return fresh.value;
    },
    count: (db) => [...of(db).values()].filter((value) => value.isCurrent()).length,
    clear: (db) => kept.delete(db),
  };
}
