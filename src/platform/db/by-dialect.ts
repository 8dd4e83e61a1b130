import type { Dialect } from './dialect.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { sqliteDialect } from './sqlite-dialect.ts';

/** Makes something for each dialect, such as a statement whose text depends on it; looked up by `db.dialect.name`. */
export const byDialect = <T>(make: (dialect: Dialect) => T): Readonly<Record<Dialect['name'], T>> => ({
  sqlite: make(sqliteDialect),
  postgres: make(postgresDialect),
});
