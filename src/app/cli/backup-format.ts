import { sql } from 'kysely';
import type { Database, Snapshot } from '../../platform/db/database.ts';
import { nextKey, type OrderedTable, tablesInOrder } from '../../platform/db/introspect.ts';

/**
 * A backup is lines of JSON, zipped: a header; for each table a line with its name and an array for each of its rows;
 * and a last line, without which it is not whole.
 */
export interface BackupHeader {
  readonly format: 'gatehouse-backup';
  readonly version: 1;
  readonly created: string;
  /** The steps of the schema that the rows fit. */
  readonly migrations: readonly string[];
  readonly instanceKey: string | null;
}

export interface TableLine {
  readonly table: string;
  readonly columns: readonly string[];
  /** The next key, where the database counts them: keys of deleted rows must not come back. */
  readonly nextKey?: number;
}

export interface LastLine {
  readonly end: true;
  /** How many there are between the first and this one. */
  readonly lines: number;
}

/**
 * Migrations, triggers and jobs create these rows. What is in the outbox of a sync reaches its targets by their next
 * full run.
 */
export const leftOut: ReadonlySet<string> = new Set([
  ...['migrations', 'stamps', 'group_ancestors', 'sync_changes', 'job_workers'],
  ...['event_rollup', 'event_rollup_state'],
]);

export interface BackupProgress {
  readonly rows: number;
  readonly total: number;
  readonly table: string;
}

/** The lines of a backup, all of one moment. */
export async function* backupLines(
  db: Database,
  facts: Pick<BackupHeader, 'instanceKey' | 'migrations'>,
  onProgress: (progress: BackupProgress) => void,
): AsyncGenerator<string> {
  const header: BackupHeader = { format: 'gatehouse-backup', version: 1, created: new Date().toISOString(), ...facts };
  yield line(header);
  const tables = (await tablesInOrder(db)).filter(({ name }) => !leftOut.has(name));
  const snapshot = await db.snapshot();
  try {
    const total = await countRows(snapshot, tables);
    let rows = 0;
    for (const table of tables) {
      const { name, columns } = table;
      const counter = table.counted ? { nextKey: await nextKey(db.dialect, snapshot.query, name) } : {};
      yield line({ table: name, columns, ...counter } satisfies TableLine);
      for await (const some of snapshot.rows(name)) {
        yield some.map((row) => line(columns.map((column) => row[column]))).join('');
        rows += some.length;
        onProgress({ rows, total, table: name });
      }
    }
    yield line({ end: true, lines: tables.length + rows } satisfies LastLine);
  } finally {
    await snapshot.end();
  }
}

async function countRows({ query }: Snapshot, tables: readonly OrderedTable[]): Promise<number> {
  let total = 0;
  for (const { name } of tables) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(query);
    total += Number(rows[0]?.count);
  }
  return total;
}

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;
