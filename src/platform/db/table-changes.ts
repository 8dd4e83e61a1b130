/** Knows which tables were changed when, counted in commits. */
export interface TableChanges {
  /** Something is about to change these tables; null stands for all of them. */
  touch(tables: ReadonlySet<string> | null): void;
  /** What was touched is now to be seen by others. */
  commit(): void;
  /** Tells, from now on, whether any of these tables has changed since. They may become more until it is first asked. */
  since(tables: ReadonlySet<string>): () => boolean;
  /** Calls the listener after each commit that may have changed the table. */
  listen(table: string, listener: () => void): () => void;
}

/** `foreignVersion` is a number that changes when others than this process have committed: that may have been anything. */
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
