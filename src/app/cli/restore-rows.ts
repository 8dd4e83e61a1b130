import { sql } from 'kysely';
import { errorFacts, messageOf } from '../../lib/error-facts.ts';
import type { Database, Query } from '../../platform/db/database.ts';
import { type OrderedTable, setNextKey } from '../../platform/db/introspect.ts';
import { isUnreachable } from '../../platform/db/unreachable.ts';
import type { TableLine } from './backup-format.ts';
import { type BackupFile, damaged } from './backup-reader.ts';

type Row = readonly unknown[];

/** A reference to a row that is not restored yet. */
interface Waiting {
  readonly table: string;
  readonly column: string;
  readonly pk: unknown;
  readonly value: unknown;
}

const parametersAtATime = 2_000;

/** Stores the rows of a backup in an empty database, within the given transaction. Returns how many there were. */
export async function restoreRows(
  db: Database,
  tx: Query,
  tables: readonly OrderedTable[],
  lines: BackupFile['lines'],
  onRows: (count: number) => void,
): Promise<number> {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const waiting: Waiting[] = [];
  let current: { readonly table: OrderedTable; readonly line: TableLine } | null = null;
  let batch: Row[] = [];
  let count = 0;

  async function flush(): Promise<void> {
    if (current && batch.length > 0) await insert(tx, current.table, current.line.columns, batch, waiting);
    count += batch.length;
    batch = [];
    onRows(count);
  }

  async function finishTable(): Promise<void> {
    await flush();
    if (current?.line.nextKey !== undefined) await setNextKey(db.dialect, tx, current.table.name, current.line.nextKey);
  }

  try {
    for await (const line of lines) {
      if (!isRow(line)) {
        await finishTable();
        current = { table: checkTable(line, byName), line };
      } else {
        if (line.length !== current?.line.columns.length) throw damaged();
        batch.push(line);
        if (batch.length * line.length >= parametersAtATime) await flush();
      }
    }
    await finishTable();
    for (const { table, column, pk, value } of waiting) {
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value} where pk = ${pk}`.execute(tx);
    }
  } catch (error) {
    if (isDatabaseError(error) && !isUnreachable(error)) throw damaged(messageOf(error));
    throw error;
  }
  return count;
}

const isRow = (line: TableLine | Row): line is Row => Array.isArray(line);

/** Database errors about values that do not fit; SQLSTATE codes have five characters. */
function isDatabaseError(error: unknown): boolean {
  const { code } = errorFacts(error);
  return code === 'ERR_SQLITE_ERROR' || (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code));
}

function checkTable(
  { table: name, columns, nextKey }: TableLine,
  tables: ReadonlyMap<string, OrderedTable>,
): OrderedTable {
  const table = tables.get(name);
  if (!table || !Array.isArray(columns) || columns.length === 0) throw damaged();
  if (columns.some((column) => !table.columns.includes(column))) throw damaged();
  if (table.counted && !Number.isSafeInteger(nextKey)) throw damaged();
  return table;
}

async function insert(
  tx: Query,
  table: OrderedTable,
  columns: readonly string[],
  rows: readonly Row[],
  waiting: Waiting[],
): Promise<void> {
  const later = new Set(table.later);
  const pkAt = columns.indexOf('pk');
  const values = rows.map((row) => {
    const stored = row.map((value, index) => {
      const column = columns[index] ?? '';
      if (value === null || !later.has(column)) return value;
      waiting.push({ table: table.name, column, pk: row[pkAt], value });
      return null;
    });
    return sql`(${sql.join(stored)})`;
  });
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(table.name)} (${names}) values ${sql.join(values)}`.execute(tx);
}
