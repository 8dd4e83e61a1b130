import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
} from 'kysely';
import type pg from 'pg';
import type { StatementNames } from './postgres-statements.ts';
import type { StatementListeners } from './statements.ts';

interface Needs {
  readonly pool: pg.Pool;
  readonly names: StatementNames;
  readonly listeners: StatementListeners;
}

/** A connection is replaced once it holds so many prepared statements: each takes memory in the database. */
const mostPrepared = 500;

/** Another instance has changed the schema since the statement was prepared, or somebody has thrown the statement away. */
function isStalePlan(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string };
  return code === '26000' || (code === '0A000' && /cached plan/.test(message ?? ''));
}

/** Kysely's way to a pool of PostgreSQL connections, with prepared statements. */
export function createPostgresDriver({ pool, names, listeners }: Needs): Driver {
  const connections = new WeakMap<pg.PoolClient, PostgresConnection>();
  const nothing = async () => {};
  return {
    init: nothing,
    async acquireConnection() {
      const client = await pool.connect();
      let connection = connections.get(client);
      if (!connection) {
        connection = new PostgresConnection(client, names, listeners);
        connections.set(client, connection);
      }
      return connection;
    },
    async releaseConnection(connection) {
      (connection as PostgresConnection).release();
    },
    async beginTransaction(connection, { isolationLevel }) {
      const level = isolationLevel ? ` isolation level ${isolationLevel}` : '';
      await (connection as PostgresConnection).command(`begin${level}`);
    },
    async commitTransaction(connection) {
      const done = await (connection as PostgresConnection).command('commit');
      // After a failed statement PostgreSQL answers a commit by rolling back, without an error.
      if (done !== 'COMMIT') throw new AbortedTransactionError();
    },
    async rollbackTransaction(connection) {
      await (connection as PostgresConnection).command('rollback');
    },
    destroy: () => pool.end(),
  };
}

class PostgresConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient;
  readonly #names: StatementNames;
  readonly #listeners: StatementListeners;
  readonly #prepared = new Set<string>();
  #isSpoilt = false;

  constructor(client: pg.PoolClient, names: StatementNames, listeners: StatementListeners) {
    this.#client = client;
    this.#names = names;
    this.#listeners = listeners;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#listeners.notify(query);
    const name = this.#names.nameOf(query.sql);
    if (name) this.#prepared.add(name);
    try {
      return await this.#run<R>(query, name);
    } catch (error) {
      if (!isStalePlan(error)) throw error;
      this.#isSpoilt = true;
      // A failed statement ends its transaction; outside of one it can simply be sent again, unprepared.
      if (this.#client.getTransactionStatus() !== 'I') throw error;
      return this.#run<R>(query, undefined);
    }
  }

  async #run<R>({ sql, parameters }: CompiledQuery, name: string | undefined): Promise<QueryResult<R>> {
    const { rows, rowCount } = await this.#client.query({ name, text: sql, values: [...parameters] });
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  }

  // biome-ignore lint/correctness/useYield: there is no streaming here
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('large results are read by Database.snapshot');
  }

  /** Gives PostgreSQL's word for what it did. */
  async command(text: string): Promise<string> {
    return (await this.#client.query(text)).command;
  }

  release(): void {
    this.#client.release(this.#isSpoilt || this.#prepared.size > mostPrepared);
  }
}
