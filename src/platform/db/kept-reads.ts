import type { Database } from './database.ts';

/** What was read before and is still so. */
export interface KeptReads<Value> {
  /** What `load` reads under this key, or what it read last time if nothing has been committed since. */
  read(db: Database, key: string, load: () => Promise<Value>): Promise<Value>;
  /** How much is kept that may be used. */
  count(db: Database): number;
  clear(): void;
}

/**
 * Keeps what was read until anything at all is committed, by whomever. That is told apart by the database's version; where
 * it has none (several servers on one PostgreSQL), to ask whether a value is still good costs as much as to read it, so
 * nothing is kept.
 */
export function createKeptReads<Value>(most: number): KeptReads<Value> {
  const values = new Map<string, Value>();
  let keptVersion: number | null = null;

  return {
    async read(db, key, load) {
      const version = db.version();
      if (version === null) return load();
      if (version !== keptVersion) {
        values.clear();
        keptVersion = version;
      }
      const kept = values.get(key);
      if (kept !== undefined) return kept;
      const value = await load();
      // The version was asked for first: what a commit in between has changed is forgotten before it is used again.
      if (keptVersion === version && values.size < most) values.set(key, value);
      return value;
    },
    count: (db) => (db.version() === keptVersion ? values.size : 0),
    clear: () => values.clear(),
  };
}
