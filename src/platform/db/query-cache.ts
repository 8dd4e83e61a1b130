import { isDeepStrictEqual } from 'node:util';
import type { CacheEntries, Database, Query, QueryCaches, Watched } from './database.ts';

/**
 * Names a query cache. It has no state itself: entries live with the database, and the composition sets their limit. An
 * entry is valid until a table that it was read from changes. If a database cannot detect changes, `load` runs each
 * time; as long as it reads the same, it is the same object, so that others can cache what they derive from it.
 */
export interface QueryCache<Value> {
  /** What `load` reads, from the cache if none of the tables it read has changed. */
  read(db: Database, key: string | number, load: Load<Value>): Promise<Value>;
  /** The number of valid entries. */
  count(db: Database): number;
  clear(db: Database): void;
}

export const openQueryCaches = (sizes: Readonly<Record<string, number>>): QueryCaches =>
  new Map(Object.entries(sizes).map(([name, size]) => [name, { size, byKey: new Map() }]));

type Load<Value> = (query: Query) => Promise<Value>;
interface Watching {
  readonly watch: NonNullable<Database['watch']>;
  readonly by: Query;
}

export function queryCache<Value>(name: string): QueryCache<Value> {
  type Cached = Watched<Promise<Value>>;

  function entriesOf({ queryCaches }: Database): CacheEntries | null {
    if (!queryCaches) return null;
    const entries = queryCaches.get(name);
    if (!entries) throw new Error(`the composition declares no size for the query cache ${name}`);
    return entries;
  }

  async function loadInto(
    { size, byKey }: CacheEntries,
    key: string | number,
    { watch, by }: Watching,
    load: Load<Value>,
  ) {
    const { value, canTell, isCurrent } = await watch(load, by);
    byKey.delete(key);
    // Misses are not cached: anyone can request names that do not exist.
    if (value === null) return value;
    const [oldest] = byKey.keys();
    if (byKey.size >= size && oldest !== undefined) byKey.delete(oldest);
    byKey.set(key, { value: Promise.resolve(value), canTell, isCurrent });
    return value;
  }

  async function loadAgain({ byKey }: CacheEntries, key: string | number, cached: Cached, loading: Promise<Value>) {
    const [value, last] = await Promise.all([loading, cached.value]);
    if (isDeepStrictEqual(value, last)) return last;
    if (value === null) byKey.delete(key);
    else if (byKey.has(key)) byKey.set(key, { ...cached, value: Promise.resolve(value) });
    return value;
  }

  return {
    // Not async: a hit returns the promise that is cached, and makes none.
    read(db, key, load) {
      const entries = entriesOf(db);
      const { watch, refresh } = db;
      if (!watch || !entries) return load(db.read);
      // Only this cache writes under its name, so its entries are of its type.
      const cached = entries.byKey.get(key) as Cached | undefined;
      const loadNow = () => loadInto(entries, key, { watch, by: db.read }, load);
      if (!cached) return loadNow();
      if (!cached.canTell) return loadAgain(entries, key, cached, load(db.read));
      const refreshing = refresh?.();
      if (!refreshing) return cached.isCurrent() ? cached.value : loadNow();
      return refreshing.then(() => (cached.isCurrent() ? cached.value : loadNow()));
    },
    count: (db) => [...(entriesOf(db)?.byKey.values() ?? [])].filter((entry) => entry.isCurrent()).length,
    clear: (db) => entriesOf(db)?.byKey.clear(),
  };
}
