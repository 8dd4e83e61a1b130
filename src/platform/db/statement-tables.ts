import { constants, DatabaseSync } from 'node:sqlite';

/** The tables that a statement touches, those that follow by triggers and cascades among them. */
export interface StatementTables {
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
}

export interface TableScout {
  /** Null when it cannot be told: anything may be touched. */
  tablesOf(text: string): StatementTables | null;
  close(): void;
}

const maxCached = 2_000;
const writing: ReadonlySet<number> = new Set([
  constants.SQLITE_INSERT,
  constants.SQLITE_UPDATE,
  constants.SQLITE_DELETE,
]);
/** Changes of the tables themselves are written in here. */
const schemaTable = 'sqlite_master';

/**
 * Has SQLite say which tables a statement touches: while it prepares one, it asks for leave to touch each. That is asked on a
 * connection of its own, which runs nothing; `equip` gives it the functions that the others have.
 */
export function createTableScout(path: string, equip: (connection: DatabaseSync) => void): TableScout {
  let connection: DatabaseSync | undefined;
  const known = new Map<string, StatementTables>();
  let reads = new Set<string>();
  let writes = new Set<string>();

  function open(): DatabaseSync {
    const opened = new DatabaseSync(path, { timeout: 10_000 });
    // Cascades are part of a statement only where they would happen.
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
    // The first releases of Node 24 have no way to ask.
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
      const remembered = known.get(text);
      if (remembered) return remembered;
      const found = ask(text);
      if (known.size >= maxCached) known.clear();
      // What cannot be told now may be told once its table is there.
      if (found) known.set(text, found);
      return found;
    },
    close: () => connection?.close(),
  };
}
