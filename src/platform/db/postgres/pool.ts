import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { isFull } from '../unreachable.ts';
import { clientOptions, withoutAliases } from './connect.ts';
import { type ConnectionNeeds, PostgresConnection } from './connection.ts';
import type { Hosts } from './hosts.ts';

export interface PostgresPool {
  /** A connection of one's own, until it is released. */
  acquire(): Promise<PostgresConnection>;
  release(connection: PostgresConnection): void;
  /** Waits for those in use. */
  close(): Promise<void>;
}

const waitAtMostMs = 10_000;
const askAgainAfterMs = 250;
const keepIdleMs = 5 * 60_000;

/** A bounded number of connections to the primary; callers wait while all are in use. */
export function createPostgresPool(hosts: Hosts, size: number, needs: ConnectionNeeds): PostgresPool {
  const connections = new WeakMap<pg.ClientBase, PostgresConnection>();
  const clients = new WeakMap<PostgresConnection, pg.PoolClient>();
  const pool = new pg.Pool({
    ...clientOptions,
    max: size,
    idleTimeoutMillis: keepIdleMs,
    connectionTimeoutMillis: waitAtMostMs,
    async onConnect(base) {
      // The pool makes its clients of this class.
      const client = base as pg.Client;
      // A connection that breaks fails the statement that runs on it; without a listener it would end the process as
      // well.
      client.on('error', () => {});
      const { canPrepare } = await hosts.open(client);
      connections.set(client, new PostgresConnection(client, canPrepare, needs));
    },
  });
  // An idle one has broken.
  pool.on('error', () => {});

  async function connect(): Promise<pg.PoolClient> {
    try {
      // For the connections that are opened from now on.
      pool.options.connectionString = withoutAliases(await hosts.primary());
      return await pool.connect();
    } catch (error) {
      if (isFull(error) || !hosts.giveUp()) throw error;
      return connect();
    }
  }

  /** When the database refuses another connection, waiting callers get the next that is free. */
  async function connectOrWait(): Promise<pg.PoolClient> {
    const deadline = performance.now() + waitAtMostMs;
    for (;;) {
      try {
        return await connect();
      } catch (error) {
        if (!isFull(error) || performance.now() > deadline) throw error;
        await setTimeout(askAgainAfterMs);
      }
    }
  }

  return {
    async acquire() {
      const client = await connectOrWait();
      // `onConnect` has made it.
      const connection = connections.get(client) as PostgresConnection;
      clients.set(connection, client);
      return connection;
    },
    release(connection) {
      clients.get(connection)?.release(!connection.isUsable);
    },
    close: () => pool.end(),
  };
}
