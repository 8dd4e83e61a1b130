import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../platform/config.ts';
import { maskedDatabaseUrl } from '../platform/config-values.ts';
import type { Database } from '../platform/db/database.ts';
import { lockFolder } from '../platform/db/folder-lock.ts';
import { openPostgres } from '../platform/db/postgres.ts';
import { openSqlite } from '../platform/db/sqlite.ts';

export interface OpenDatabase {
  readonly db: Database;
  close(): Promise<void>;
}

/** Nothing has been stored here yet. */
export class NoDatabase extends Error {
  constructor(config: Config) {
    super(`there is no database in ${databaseName(config)} yet; the first start of the server makes one`);
  }
}

/**
 * Opens the configured database. One process at a time locks SQLite's folder; commands that run beside the server pass
 * `beside`, and never create a database.
 */
export function openDatabase(config: Config, { beside = false } = {}): OpenDatabase {
  if (config.databaseUrl !== null) {
    const db = openPostgres(config.databaseUrl, {
      connections: config.databaseConnections,
      replicaUrl: config.databaseReplicaUrl,
    });
    return { db, close: db.close };
  }
  const file = fileOf(config);
  if (beside && !existsSync(file)) throw new NoDatabase(config);
  const unlock = beside ? () => {} : lockFolder(config.dataDir);
  try {
    const db = openSqlite(file);
    return {
      db,
      async close() {
        await db.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** The name of the database for messages, without a password. */
export function databaseName(config: Config): string {
  return config.databaseUrl === null ? fileOf(config) : maskedDatabaseUrl(config.databaseUrl);
}

const fileOf = (config: Config): string => join(config.dataDir, 'gatehouse.db');
