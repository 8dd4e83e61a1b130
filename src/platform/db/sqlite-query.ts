import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Query } from './database.ts';
import type { Answers } from './sqlite-answers.ts';

/** Runs queries on SQLite. */
export function queryOn(answers: Answers): Query {
  const connection: DatabaseConnection = {
    executeQuery: async <R>(query: CompiledQuery) => answers.execute<R>(query),
    streamQuery: () => {
      throw new Error('large results are read by Database.snapshot');
    },
  };
  const driver = driverOf(connection);
  const dialect: Dialect = {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  return new Kysely({ config: { dialect }, dialect, driver, executor: new ImmediateExecutor(connection) });
}

/** Without Kysely's queue for a connection, a dozen promises for each statement: the database answers in process. */
class ImmediateExecutor extends DefaultQueryExecutor {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    super(new SqliteQueryCompiler(), new SqliteAdapter(), { provideConnection: (work) => work(connection) });
    this.#connection = connection;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#connection.executeQuery(query);
  }
}

function driverOf(connection: DatabaseConnection): Driver {
  const nothing = async () => {};
  const refuse = async () => {
    throw new Error('transactions go through Database.write');
  };
  return {
    init: nothing,
    acquireConnection: async () => connection,
    releaseConnection: nothing,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: nothing,
  };
}
