import {
  type CompiledQuery,
  type ConnectionProvider,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
} from 'kysely';
import type { Query } from './database.ts';

export type Execute = <R>(query: CompiledQuery) => Promise<QueryResult<R>>;

type Kind = Pick<Dialect, 'createAdapter' | 'createIntrospector' | 'createQueryCompiler'>;

/** Runs queries without Kysely's queue for a connection, a dozen promises for each statement. */
export function directQuery(kind: Kind, driver: Driver, provider: ConnectionProvider, execute: Execute): Query {
  const dialect: Dialect = { ...kind, createDriver: () => driver };
  return new Kysely({ config: { dialect }, dialect, driver, executor: new DirectExecutor(kind, provider, execute) });
}

class DirectExecutor extends DefaultQueryExecutor {
  readonly #execute: Execute;

  constructor(kind: Kind, provider: ConnectionProvider, execute: Execute) {
    super(kind.createQueryCompiler(), kind.createAdapter(), provider);
    this.#execute = execute;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#execute(query);
  }
}
