import type { CacheEntries, Database, Query, QueryCaches, Watched } from './database.ts';

/**
 * Names a query cache. It has no state itself: entries live with the database, and the composition sets their limit. An
 * entry is valid until a table that it was read from changes. If a database cannot detect changes, nothing is cached.
 */
export interface QueryCache<Value> {
  /** What `load` reads, from the cache if none of the tables it read has changed. */
  read(db: Database, key: string | number, load: (query: Query) => Promise<Value>): Promise<Value>;
  /** The number of valid entries. */
  count(db: Database): number;
  clear(db: Database): void;
}

export const openQueryCaches = (sizes: Readonly<Record<string, number>>): QueryCaches =>
  new Map(Object.entries(sizes).map(([name, size]) => [name, { size, byKey: new Map() }]));

export function queryCache<Value>(name: string): QueryCache<Value> {
  function entriesOf({ queryCaches }: Database): CacheEntries | null {
    if (!queryCaches) return null;
    const entries = queryCaches.get(name);
    if (!entries) throw new Error(`the composition declares no size for the query cache ${name}`);
    return entries;
  }

  return {
    async read(db, key, load) {
      const entries = entriesOf(db);
      if (!db.watch || !entries) return load(db.read);
      const { size, byKey } = entries;
      // Only this cache writes under its name, so its entries are of its type.
      const cached = byKey.get(key) as Watched<Value> | undefined;
      if (cached && !cached.canTell) return load(db.read);
      if (cached && db.refresh) await db.refresh();
      if (cached?.isCurrent()) return cached.value;
      const fresh = await db.watch(load);
      byKey.delete(key);
      // Anyone can ask for what does not exist, so misses are not cached.
      if (fresh.value === null) return fresh.value;
      const [oldest] = byKey.keys();
      if (byKey.size >= size && oldest !== undefined) byKey.delete(oldest);
      byKey.set(key, fresh);
      return fresh.value;
    },
    count: (db) => [...(entriesOf(db)?.byKey.values() ?? [])].filter((entry) => entry.isCurrent()).length,
    clear: (db) => entriesOf(db)?.byKey.clear(),
  };
}
