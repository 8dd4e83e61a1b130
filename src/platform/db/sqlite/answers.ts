import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { CompiledQuery, QueryResult } from 'kysely';
import type { StatementListeners } from '../statement-listeners.ts';
import { flagType } from './dialect.ts';
import { withStablePlan } from './plan.ts';

const preparedLimit = 400;

/** Runs statements on one connection. */
export interface Answers {
  execute<R>(query: CompiledQuery): QueryResult<R> | Promise<QueryResult<R>>;
}

/** The same, but reports each statement first. */
export const noting = ({ execute }: Answers, note: (text: string) => void): Answers => ({
  execute(query) {
    note(query.sql);
    return execute(query);
  },
});

export function answersOf(database: DatabaseSync, listeners: StatementListeners): Answers {
  const prepared = new Map<string, Prepared>();

  function prepare(text: string) {
    let entry = prepared.get(text);
    if (!entry) {
      const statement = database.prepare(withStablePlan(text));
      statement.setReturnArrays(true);
      entry = { statement, columns: columnsOf(statement.columns()) };
      // A frequent statement that is evicted soon returns.
      if (prepared.size >= preparedLimit) prepared.delete(prepared.keys().next().value as string);
      prepared.set(text, entry);
    }
    return entry;
  }

  return {
    execute<R>(query: CompiledQuery): QueryResult<R> {
      listeners.notify(query);
      const { statement, columns } = prepare(query.sql);
      const parameters = query.parameters.map(toParameter);
      if (columns.length > 0) {
        const rows = statement.all(...parameters).map((values) => toRow(columns, values));
        // The author of a statement declares its rows.
        return { rows: rows as R[] };
      }
      const { changes, lastInsertRowid } = statement.run(...parameters);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    },
  };
}

interface Prepared {
  readonly statement: StatementSync;
  /** Empty if it returns no rows. */
  readonly columns: readonly Column[];
}

interface Column {
  readonly name: string;
  /** SQLite returns booleans as numbers. */
  readonly isFlag: boolean;
}

export const columnsOf = (columns: ReturnType<StatementSync['columns']>): Column[] =>
  columns.map(({ name, type }) => ({ name, isFlag: type?.toLowerCase() === flagType }));

/** Makes a row from an array of its values: Node's own row objects take longer to make and to read. */
export function toRow(columns: readonly Column[], values: Readonly<Record<number, unknown>>): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  let at = 0;
  for (const { name, isFlag } of columns) {
    const value = values[at];
    row[name] = isFlag && value !== null ? value === 1 : value;
    at += 1;
  }
  return row;
}

export function toParameter(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0;
  // Other types make SQLite throw.
  return value as SQLInputValue;
}
