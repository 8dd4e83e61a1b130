import {
  type CompiledQuery,
  type ConnectionProvider,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import type { Query } from './database.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { createPostgresDriver, type DriverOptions } from './postgres-driver.ts';
import type { PostgresPool } from './postgres-pool.ts';

type Execute = <R>(query: CompiledQuery) => Promise<QueryResult<R>>;

/** Runs queries outside transactions, each on a connection that is free. */
export function queryOn(pool: PostgresPool, options: DriverOptions): Query {
  const driver = createPostgresDriver(pool, options);
  const provideConnection: ConnectionProvider['provideConnection'] = async (work) => {
    const connection = await driver.acquireConnection();
    try {
      return await work(connection);
    } finally {
      await driver.releaseConnection(connection);
    }
  };
  return kyselyWith(driver, { provideConnection }, (query) =>
    provideConnection((connection) => connection.executeQuery(query)),
  );
}

/** Runs `work` in one transaction, which is rolled back if it throws. */
export type Transact = <T>(work: (tx: Query) => Promise<T>) => Promise<T>;

export function transactOn(pool: PostgresPool, options: DriverOptions): Transact {
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
    const value = await work(kyselyWith(driver, { provideConnection: refuse }, execute));
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

const compiler = new PostgresQueryCompiler();
const adapter = new PostgresAdapter();

function kyselyWith(driver: Driver, provider: ConnectionProvider, execute: Execute): Query {
  const dialect: Dialect = {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => compiler,
  };
  return new Kysely({ config: { dialect }, dialect, driver, executor: new DirectExecutor(provider, execute) });
}

/** Without Kysely's queue for a connection, a dozen promises for each statement. */
class DirectExecutor extends DefaultQueryExecutor {
  readonly #execute: Execute;

  constructor(provider: ConnectionProvider, execute: Execute) {
    super(compiler, adapter, provider);
    this.#execute = execute;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#execute(query);
  }
}
