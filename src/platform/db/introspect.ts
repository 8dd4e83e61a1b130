import { sql } from 'kysely';
import type { Database, Query } from './database.ts';

export interface TableFacts {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns that name a row of a table. */
  readonly references: readonly { readonly column: string; readonly table: string }[];
  /** Whether the key is counted up by the database. */
  readonly counted: boolean;
}

/** The tables that hold data, each after those it refers to. */
export async function tablesInOrder(db: Database): Promise<TableFacts[]> {
  const facts = db.dialect.name === 'sqlite' ? await sqliteTables(db.read) : await postgresTables(db.read);
  const ordered: TableFacts[] = [];
  const waiting = new Set(facts);
  while (waiting.size > 0) {
    const free = [...waiting].filter(({ name, references }) =>
      references.every(({ table }) => table === name || ordered.some((done) => done.name === table)),
    );
    if (free.length === 0)
      throw new Error(`tables refer to each other in a circle: ${[...waiting].map(({ name }) => name).join(', ')}`);
    for (const table of free) {
      ordered.push(table);
      waiting.delete(table);
    }
  }
  return ordered;
}

async function sqliteTables(read: Query): Promise<TableFacts[]> {
  const { rows } = await sql<{ name: string; sql: string }>`select name, sql from sqlite_master
    where type = 'table' and name not like 'sqlite_%' and name not like '%\_search%' escape '\' order by name`.execute(
    read,
  );
  return Promise.all(
    rows.map(async ({ name, sql: text }) => {
      const columns = await sql<{ name: string }>`select name from pragma_table_info(${name}) order by cid`.execute(
        read,
      );
      const keys = await sql<{
        column: string;
        table: string;
      }>`select "from" as "column", "table" from pragma_foreign_key_list(${name})`.execute(read);
      return {
        name,
        columns: columns.rows.map((column) => column.name),
        references: keys.rows,
        counted: /autoincrement/i.test(text),
      };
    }),
  );
}

async function postgresTables(read: Query): Promise<TableFacts[]> {
  const tables = await sql<{
    name: string;
    column: string;
    counted: boolean;
  }>`select c.table_name as name, c.column_name as "column", c.is_identity = 'YES' as counted
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = current_schema() and t.table_type = 'BASE TABLE' order by c.table_name, c.ordinal_position`.execute(
    read,
  );
  const keys = await sql<{
    name: string;
    column: string;
    table: string;
  }>`select k.conrelid::regclass::text as name, a.attname as "column", k.confrelid::regclass::text as "table"
    from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    where k.contype = 'f' and k.connamespace = current_schema()::regnamespace`.execute(read);
  const unquoted = (text: string) => text.replaceAll('"', '');
  return [...Map.groupBy(tables.rows, ({ name }) => name)].map(([name, columns]) => ({
    name,
    columns: columns.map(({ column }) => column),
    references: keys.rows
      .filter((key) => unquoted(key.name) === name)
      .map(({ column, table }) => ({ column, table: unquoted(table) })),
    counted: columns.some(({ counted }) => counted),
  }));
}
