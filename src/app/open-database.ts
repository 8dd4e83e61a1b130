import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { errorFacts, messageOf } from '../lib/error-facts.ts';
import type { Config } from '../platform/config.ts';
import { maskedDatabaseUrl } from '../platform/config-values.ts';
import type { Database } from '../platform/db/database.ts';
import { openPostgres } from '../platform/db/postgres/postgres.ts';
import { lockFolder } from '../platform/db/sqlite/folder-lock.ts';
import { openSqlite } from '../platform/db/sqlite/sqlite.ts';

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
    });
    return { db, close: db.close };
  }
  checkAccess(config.dataDir);
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

const fileName = 'gatehouse.db';
const fileOf = (config: Config): string => join(config.dataDir, fileName);

/** A command that another user ran leaves files which this one may not open; SQLite would not say which, nor why. */
function checkAccess(folder: string): void {
  const { R_OK, W_OK, X_OK } = constants;
  try {
    checkIfPresent(folder, R_OK | W_OK | X_OK);
    checkIfPresent(join(folder, 'secret.key'), R_OK);
    for (const name of ['lock', fileName, `${fileName}-wal`, `${fileName}-shm`])
      checkIfPresent(join(folder, name), R_OK | W_OK);
  } catch (error) {
    throw new Error(`The data folder ${folder} cannot be used (GATEHOUSE_DATA_DIR): ${messageOf(error)}`);
  }
}

function checkIfPresent(path: string, mode: number): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    if (errorFacts(error).code !== 'ENOENT') throw error;
  }
}
