import type { Driver } from 'kysely';
import type { PostgresConnection } from './connection.ts';
import type { PostgresPool } from './pool.ts';

export interface DriverOptions {
  /** Statements at the beginning of each transaction. */
  readonly settings?: readonly string[];
  readonly hasDeadline?: boolean;
  /** Called with each statement. */
  note?(text: string): void;
}

/** Kysely's way to the pool. */
export function createPostgresDriver(
  pool: PostgresPool,
  { settings = [], hasDeadline = true, note }: DriverOptions = {},
): Driver {
  const nothing = async () => {};
  // Kysely hands back what `acquireConnection` gave.
  const own = (connection: unknown) => connection as PostgresConnection;
  return {
    init: nothing,
    async acquireConnection() {
      const connection = await pool.acquire();
      connection.hasDeadline = hasDeadline;
      connection.note = note;
      return connection;
    },
    async releaseConnection(connection) {
      pool.release(own(connection));
    },
    async beginTransaction(connection, { isolationLevel }) {
      const level = isolationLevel ? ` isolation level ${isolationLevel}` : '';
      own(connection).begin([`begin${level}`, ...settings].join('; '));
    },
    async commitTransaction(connection) {
      await own(connection).commit();
    },
    async rollbackTransaction(connection) {
      await own(connection).rollback();
    },
    destroy: nothing,
  };
}
