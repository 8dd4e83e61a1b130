import type { CacheEntries, Database, Query, QueryCaches, Watched } from './database.ts';

/**
 * Names a cache of query results. It holds no state itself: what is cached lives with the database, and the composition says how many entries.
 * An entry is good until a table that it was read from changes. Where a database cannot tell of changes, nothing is cached.
 */
export interface QueryCache<Value> {
  /** What `load` reads by the query it is given, or what it read last time if none of those tables has changed since. */
  read(db: Database, key: string | number, load: (query: Query) => Promise<Value>): Promise<Value>;
  /** How many entries are still good. */
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
      const known = byKey.get(key) as Watched<Value> | undefined;
      if (known && !known.canTell) return load(db.read);
      if (known && db.refresh) await db.refresh();
      if (known?.isCurrent()) return known.value;
      const fresh = await db.watch(load);
      byKey.delete(key);
      // Anybody can ask for what does not exist, so that is not cached.
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
