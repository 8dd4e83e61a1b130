import { constants, DatabaseSync } from 'node:sqlite';

/** The tables that a statement touches, including those by triggers and cascades. */
export interface StatementTables {
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
}

export interface TableScout {
  /** Null if unknown: the statement may touch anything. */
  tablesOf(text: string): StatementTables | null;
  close(): void;
}

const maxCached = 2_000;
const writing: ReadonlySet<number> = new Set([
  constants.SQLITE_INSERT,
  constants.SQLITE_UPDATE,
  constants.SQLITE_DELETE,
]);
/** Schema changes are writes to this table. */
const schemaTable = 'sqlite_master';

/**
 * Finds the tables that a statement touches through SQLite's authorizer, which is called for each while a statement is
 * prepared. It uses a connection of its own that runs nothing; `equip` adds the functions that the others have.
 */
export function createTableScout(path: string, equip: (connection: DatabaseSync) => void): TableScout {
  let connection: DatabaseSync | undefined;
  const cache = new Map<string, StatementTables>();
  let reads = new Set<string>();
  let writes = new Set<string>();

  function open(): DatabaseSync {
    const opened = new DatabaseSync(path, { timeout: 10_000 });
    // Cascades are part of a statement only if foreign keys are on.
    opened.exec('pragma foreign_keys = on; pragma cache_size = -200');
    equip(opened);
    opened.setAuthorizer((action, table) => {
      if (table !== null && action === constants.SQLITE_READ) reads.add(table);
      if (table !== null && writing.has(action)) writes.add(table);
      return constants.SQLITE_OK;
    });
    return opened;
  }

  function ask(text: string): StatementTables | null {
    // The first releases of Node 24 have no authorizer.
    if (!('setAuthorizer' in DatabaseSync.prototype)) return null;
    connection ??= open();
    [reads, writes] = [new Set(), new Set()];
    try {
      connection.prepare(text);
    } catch {
      return null;
    }
    return writes.has(schemaTable) ? null : { reads, writes };
  }

  return {
    tablesOf(text) {
      const cached = cache.get(text);
      if (cached) return cached;
      const found = ask(text);
      if (cache.size >= maxCached) cache.clear();
      // An unknown table may exist later, so failures are not cached.
      if (found) cache.set(text, found);
      return found;
    },
    close: () => connection?.close(),
  };
}
