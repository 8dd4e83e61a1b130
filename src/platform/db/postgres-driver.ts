import { AbortedTransactionError, type Driver } from 'kysely';
import type { PostgresConnection } from './postgres-connection.ts';
import type { PostgresPool, Use } from './postgres-pool.ts';

export interface DriverOptions {
  readonly use: Use;
  /** What opens a transaction, besides `begin`. */
  readonly begin?: string;
  readonly hasDeadline?: boolean;
}

/** Kysely's way to the pool. */
export function createPostgresDriver(
  pool: PostgresPool,
  { use, begin = '', hasDeadline = true }: DriverOptions,
): Driver {
  const nothing = async () => {};
  return {
    init: nothing,
    async acquireConnection() {
      const connection = await pool.acquire(use);
      connection.hasDeadline = hasDeadline;
      return connection;
    },
    async releaseConnection(connection) {
      pool.release(connection as PostgresConnection);
    },
    async beginTransaction(connection, { isolationLevel }) {
      const level = isolationLevel ? ` isolation level ${isolationLevel}` : '';
      await (connection as PostgresConnection).command(`begin${level}; ${begin}`);
    },
    async commitTransaction(connection) {
      const done = await (connection as PostgresConnection).command('commit');
      // After a failed statement PostgreSQL answers a commit by rolling back, without an error.
      if (done !== 'COMMIT') throw new AbortedTransactionError();
    },
    async rollbackTransaction(connection) {
      await (connection as PostgresConnection).command('rollback');
    },
    destroy: nothing,
  };
}
