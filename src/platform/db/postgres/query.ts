import {
  type CompiledQuery,
  type ConnectionProvider,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { Query } from '../database.ts';
import { directQuery, type Execute } from '../direct-query.ts';
import type { PostgresConnection } from './connection.ts';
import { createPostgresDriver, type DriverOptions } from './driver.ts';
import type { PostgresPool } from './pool.ts';

/** Runs queries outside transactions, each on a connection that is free. */
export function queryOn(pool: PostgresPool, options?: DriverOptions): Query {
  const driver = createPostgresDriver(pool, options);
  const provideConnection: ConnectionProvider['provideConnection'] = async (work) => {
    const connection = await driver.acquireConnection();
    try {
      return await work(connection);
    } finally {
      await driver.releaseConnection(connection);
    }
  };
  return directQuery(kind, driver, { provideConnection }, (query) =>
    provideConnection((connection) => connection.executeQuery(query)),
  );
}

/** Runs `work` in one transaction, which is rolled back if it throws. */
export type Transact = <T>(work: (tx: Query) => Promise<T>) => Promise<T>;

export function transactOn(pool: PostgresPool, options?: DriverOptions): Transact {
  const driver = createPostgresDriver(pool, options);
  return (work) => transact(driver, work);
}

async function transact<T>(driver: Driver, work: (tx: Query) => Promise<T>): Promise<T> {
  // The driver of a pool hands out its connections.
  const connection = (await driver.acquireConnection()) as PostgresConnection;
  let isOver = false;
  let running: Promise<unknown> | null = null;
  /** One at a time: who sends several at once has them wait for each other. */
  const execute: Execute = async <R>(query: CompiledQuery) => {
    while (running) await running.catch(() => {});
    if (isOver) throw new Error('the transaction is over');
    const answer = connection.executeQuery<R>(query);
    running = answer;
    try {
      return await answer;
    } finally {
      running = null;
    }
  };
  const refuse = async () => {
    throw new Error('a transaction has no connection to give away');
  };
  try {
    await driver.beginTransaction(connection, {});
    const value = await work(directQuery(kind, driver, { provideConnection: refuse }, execute));
    await driver.commitTransaction(connection);
    return value;
  } catch (error) {
    await driver.rollbackTransaction(connection);
    throw error;
  } finally {
    isOver = true;
    await driver.releaseConnection(connection);
  }
}

// Shared by all queries: they have no state.
const [compiler, adapter] = [new PostgresQueryCompiler(), new PostgresAdapter()];
const kind = {
  createAdapter: () => adapter,
  createIntrospector: (db: Query) => new PostgresIntrospector(db),
  createQueryCompiler: () => compiler,
};
