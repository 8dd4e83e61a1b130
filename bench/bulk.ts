import { CompiledQuery, sql } from 'kysely';
import type { Query } from '../src/platform/db/database.ts';

export type Columns = Readonly<Record<string, unknown>>;

const rowsPerStatement = 200;

/** Stores many rows of a table, a few hundred with each statement. */
export async function insertMany(tx: Query, dialect: string, table: string, rows: Iterable<Columns>): Promise<void> {
  let batch: Columns[] = [];
  const flush = async () => {
    if (batch.length > 0) await tx.executeQuery(insertOf(dialect, table, batch));
    batch = [];
  };
  for (const row of rows) {
    batch.push(row);
    if (batch.length === rowsPerStatement) await flush();
  }
  await flush();
}

function insertOf(dialect: string, table: string, rows: readonly Columns[]): CompiledQuery {
  const names = Object.keys(rows[0] as Columns);
  let number = 0;
  const mark = () => {
    number += 1;
    return dialect === 'postgres' ? `$${number}` : '?';
  };
  const tuples = rows.map(() => `(${names.map(mark).join(', ')})`);
  const columns = names.map((name) => `"${name}"`).join(', ');
  const values = rows.flatMap((row) => names.map((name) => row[name]));
  return CompiledQuery.raw(`insert into "${table}" (${columns}) values ${tuples.join(', ')}`, values);
}

/** A row as it is stored, to make others like it; without its key where the database counts keys. */
export async function storedRow(tx: Query, table: string, pk: string | number): Promise<Columns> {
  const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)} where pk = ${pk}`.execute(tx);
  const { pk: key, ...rest } = rows[0] as Record<string, unknown>;
  return typeof key === 'number' ? rest : { pk: key, ...rest };
}

/** Some number of something, one after the other. */
export function* times<T>(count: number, make: (index: number) => T, from = 0): Generator<T> {
  for (let index = from; index < count; index++) yield make(index);
}
