import { type RawBuilder, sql } from 'kysely';
import type { Database, Query } from '../../platform/db/database.ts';
import { type TableFacts, tablesInOrder } from '../../platform/db/introspect.ts';

/** The first line of a backup; then, for each table, a line that names it and a line for each row, as an array of values. */
export interface BackupHeader {
  readonly format: 'gatehouse-backup';
  readonly version: 1;
  readonly created: string;
  readonly migrations: readonly string[];
  readonly instanceKey: string | null;
}

export interface TableLine {
  readonly table: string;
  readonly columns: readonly string[];
}

/** Rows that the schema brings by itself. */
const left = new Set(['migrations']);
const pageRows = 500;

/** The lines of a backup, all of one moment. */
export async function* backupLines(
  db: Database,
  facts: Pick<BackupHeader, 'instanceKey' | 'migrations'>,
  onRow: (table: string) => void,
): AsyncGenerator<string> {
  const header: BackupHeader = { format: 'gatehouse-backup', version: 1, created: new Date().toISOString(), ...facts };
  yield line(header);
  const tables = (await tablesInOrder(db)).filter(({ name }) => !left.has(name));
  const snapshot = await db.snapshot();
  try {
    for (const table of tables) {
      yield line({ table: table.name, columns: table.columns } satisfies TableLine);
      for await (const row of rowsOf(snapshot.query, table)) {
        onRow(table.name);
        yield line(table.columns.map((column) => row[column]));
      }
    }
  } finally {
    await snapshot.end();
  }
}

/** Page by page over the table's columns, so that a large table never stands in memory whole. */
async function* rowsOf(query: Query, { name, columns }: TableFacts): AsyncGenerator<Record<string, unknown>> {
  const order: RawBuilder<unknown> = sql.join(
    (columns.includes('pk') ? ['pk'] : columns).map((column) => sql.ref(column)),
  );
  for (let offset = 0; ; offset += pageRows) {
    const { rows } = await sql<
      Record<string, unknown>
    >`select * from ${sql.table(name)} order by ${order} limit ${pageRows} offset ${offset}`.execute(query);
    yield* rows;
    if (rows.length < pageRows) return;
  }
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
