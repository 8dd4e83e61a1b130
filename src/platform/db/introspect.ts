import { sql } from 'kysely';
import type { Database, Query } from './database.ts';
import type { Dialect } from './dialect.ts';

export interface TableFacts {
  readonly name: string;
  readonly columns: readonly string[];
  readonly references: readonly Reference[];
  /** Whether the database generates the key by counting up. */
  readonly counted: boolean;
}

/** A column with a foreign key. */
export interface Reference {
  readonly column: string;
  readonly table: string;
  readonly nullable: boolean;
}

export interface OrderedTable extends TableFacts {
  /** Columns that refer to rows inserted later; they are null until then. */
  readonly later: readonly string[];
}

/** The tables with data, each after those it refers to. Cycles are broken at nullable references. */
export async function tablesInOrder(db: Database): Promise<OrderedTable[]> {
  const facts = db.dialect.name === 'sqlite' ? await sqliteTables(db.read) : await postgresTables(db.read);
  const placed = new Set<string>();
  const ordered: OrderedTable[] = [];
  const waiting = new Set(facts);
  while (waiting.size > 0) {
    const next = nextTable([...waiting], placed);
    if (!next)
      throw new Error(`tables refer to each other in a circle: ${[...waiting].map(({ name }) => name).join(', ')}`);
    waiting.delete(next);
    ordered.push({ ...next, later: openReferences(next, placed).map(({ column }) => column) });
    placed.add(next.name);
  }
  return ordered;
}

/** A table whose references are all placed; else one whose missing references are nullable. */
function nextTable(waiting: readonly TableFacts[], placed: ReadonlySet<string>): TableFacts | undefined {
  const others = (table: TableFacts) => openReferences(table, placed).filter((open) => open.table !== table.name);
  return (
    waiting.find((table) => others(table).length === 0) ??
    waiting.find((table) => others(table).every(({ nullable }) => nullable))
  );
}

function openReferences({ references }: TableFacts, placed: ReadonlySet<string>): Reference[] {
  return references.filter(({ table }) => !placed.has(table));
}

export async function hasTable(db: Database, name: string): Promise<boolean> {
  const found =
    db.dialect.name === 'sqlite'
      ? sql`select 1 from sqlite_master where type = 'table' and name = ${name}`
      : sql`select 1 from pg_tables where schemaname = current_schema() and tablename = ${name}`;
  return (await found.execute(db.read)).rows.length > 0;
}

/** The next key of a table with counted keys: one that no row ever had, not even a deleted one. */
export async function nextKey(dialect: Dialect, query: Query, table: string): Promise<number> {
  const counter =
    dialect.name === 'sqlite'
      ? sql<{ next: number }>`select seq + 1 as next from sqlite_sequence where name = ${table}`
      : sql<{
          next: number;
        }>`select last_value + case when is_called then 1 else 0 end as next from ${sql.id(sequenceOf(table))}`;
  return Number((await counter.execute(query)).rows[0]?.next ?? 1);
}

export async function setNextKey(dialect: Dialect, tx: Query, table: string, next: number): Promise<void> {
  if (dialect.name === 'postgres') {
    await sql`select setval(${`"${sequenceOf(table)}"`}::regclass, ${next}, false)`.execute(tx);
    return;
  }
  await sql`delete from sqlite_sequence where name = ${table}`.execute(tx);
  await sql`insert into sqlite_sequence (name, seq) values (${table}, ${next - 1})`.execute(tx);
}

/** PostgreSQL's name for the sequence of an identity column. */
const sequenceOf = (table: string) => `${table}_pk_seq`;

async function sqliteTables(read: Query): Promise<TableFacts[]> {
  // Search indexes are virtual tables with shadow tables behind them; triggers fill them.
  const { rows } = await sql<{ name: string; sql: string }>`select m.name, m.sql from sqlite_master m
    join pragma_table_list l on l.name = m.name and l.schema = 'main'
    where l.type = 'table' and m.name not like 'sqlite%' order by m.name`.execute(read);
  return Promise.all(
    rows.map(async ({ name, sql: text }) => {
      const columns = await sql<{
        name: string;
        notnull: number;
      }>`select name, "notnull" from pragma_table_info(${name}) order by cid`.execute(read);
      const keys = await sql<{
        column: string;
        table: string;
      }>`select "from" as "column", "table" from pragma_foreign_key_list(${name})`.execute(read);
      const nullable = new Set(columns.rows.filter(({ notnull }) => !notnull).map((column) => column.name));
      return {
        name,
        columns: columns.rows.map((column) => column.name),
        references: keys.rows.map((key) => ({ ...key, nullable: nullable.has(key.column) })),
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
    nullable: boolean;
  }>`select o.relname as name, a.attname as "column", t.relname as "table", not a.attnotnull as nullable
    from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    join pg_class o on o.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and k.connamespace = current_schema()::regnamespace`.execute(read);
  return [...Map.groupBy(tables.rows, ({ name }) => name)].map(([name, columns]) => ({
    name,
    columns: columns.map(({ column }) => column),
    references: keys.rows
      .filter((key) => key.name === name)
      .map(({ column, table, nullable }) => ({ column, table, nullable })),
    counted: columns.some(({ counted }) => counted),
  }));
}
