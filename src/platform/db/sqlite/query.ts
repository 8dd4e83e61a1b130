import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Query } from '../database.ts';
import { directQuery } from '../direct-query.ts';
import type { Answers } from './answers.ts';

const kind = {
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (db: Query) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
};

/** Runs queries on SQLite, which answers in process. */
export function queryOn(answers: Answers): Query {
  const connection: DatabaseConnection = {
    executeQuery: async <R>(query: CompiledQuery) => answers.execute<R>(query),
    streamQuery: () => {
      throw new Error('large results are read by Database.snapshot');
    },
  };
  return directQuery(kind, driverOf(connection), { provideConnection: (work) => work(connection) }, (query) =>
    connection.executeQuery(query),
  );
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
