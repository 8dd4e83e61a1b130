import { join } from 'node:path';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/db/database.ts';
import { lockFolder } from '../platform/db/folder-lock.ts';
import { openPostgres } from '../platform/db/postgres.ts';
import { openSqlite } from '../platform/db/sqlite.ts';

export interface OpenDatabase {
  readonly db: Database;
  close(): Promise<void>;
}

/** Opens the configured database. SQLite's folder is held by one process at a time unless `shared` is asked for. */
export function openDatabase(config: Config, { shared = false } = {}): OpenDatabase {
  if (config.databaseUrl !== null) {
    const db = openPostgres(config.databaseUrl);
    return { db, close: db.close };
  }
  const unlock = shared ? () => {} : lockFolder(config.dataDir);
  const db = openSqlite(join(config.dataDir, 'gatehouse.db'));
  return {
    db,
    async close() {
      await db.close();
      unlock();
    },
  };
}
