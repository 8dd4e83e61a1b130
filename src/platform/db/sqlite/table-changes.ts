/** Tracks which tables changed when, counted in commits. */
export interface TableChanges {
  /** These tables are about to change; null means all of them. */
  touch(tables: ReadonlySet<string> | null): void;
  /** Makes the touched tables count as changed. */
  commit(): void;
  /** Returns a check whether any of these tables has changed since now. Tables may be added until its first call. */
  since(tables: ReadonlySet<string>): () => boolean;
  /** Calls the listener after each commit that may have changed the table. */
  listen(table: string, listener: () => void): () => void;
}

/** `foreignVersion` changes when another process commits, which may have changed anything. */
export function createTableChanges(foreignVersion: () => number): TableChanges {
  const changedAt = new Map<string, number>();
  const touched = new Set<string>();
  const listeners = new Map<() => void, string>();
  let isAllTouched = false;
  let allChangedAt = 0;
  let commits = 0;

  return {
    touch(tables) {
      if (tables === null) isAllTouched = true;
      else for (const table of tables) touched.add(table);
    },
    commit() {
      commits += 1;
      for (const table of touched) changedAt.set(table, commits);
      if (isAllTouched) allChangedAt = commits;
      for (const [listener, table] of listeners) if (isAllTouched || touched.has(table)) listener();
      touched.clear();
      isAllTouched = false;
    },
    listen(table, listener) {
      listeners.set(listener, table);
      return () => listeners.delete(listener);
    },
    since(tables) {
      const foreign = foreignVersion();
      let unchangedAt = commits;
      return () => {
        if (foreignVersion() !== foreign) return true;
        if (unchangedAt === commits) return false;
        if (allChangedAt > unchangedAt) return true;
        for (const table of tables) if ((changedAt.get(table) ?? 0) > unchangedAt) return true;
        unchangedAt = commits;
        return false;
      };
    },
  };
}
