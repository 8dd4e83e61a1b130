import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { sql } from 'kysely';
import type { Database, Query } from '../../platform/db/database.ts';
import { type TableFacts, tablesInOrder } from '../../platform/db/introspect.ts';
import { migrate } from '../../platform/db/migrate.ts';
import { migrations } from '../../platform/db/migrations/all.ts';
import { readKeyFile, restoreKeyFile } from '../../platform/keys.ts';
import { openDatabase } from '../open-database.ts';
import type { BackupHeader, TableLine } from './backup-format.ts';
import { type Command, CommandError, createProgress } from './command.ts';

export const restore: Command = {
  name: 'restore',
  summary: 'Fill an empty database from a backup.',
  details: 'All or nothing: when anything is wrong with the file, the database stays empty. Stop the server first.',
  options: { from: { value: 'file', required: true, help: 'a file that gatehouse backup wrote' } },
  async run({ config, options }) {
    const file = resolve(options.from as string);
    await access(file).catch(() => {
      throw new CommandError(`${file} cannot be read.`);
    });
    const { db, close } = openDatabase(config);
    const progress = createProgress();
    try {
      await migrate(db, migrations);
      const { header, rows } = await readInto(db, file, (count) => progress.show(`${count} rows`));
      if (header.instanceKey !== null && config.secretKey === null && (await readKeyFile(config.dataDir)) === null) {
        await restoreKeyFile(config.dataDir, header.instanceKey);
      }
      progress.show(`${rows} rows of ${header.created} restored`, true);
      return 0;
    } finally {
      await close();
    }
  },
};

async function readInto(
  db: Database,
  file: string,
  onRows: (count: number) => void,
): Promise<{ header: BackupHeader; rows: number }> {
  const tables = new Map((await tablesInOrder(db)).map((table) => [table.name, table]));
  return db.write(async (tx) => {
    await refuseFilled(tx);
    let header: BackupHeader | undefined;
    let table: TableFacts | undefined;
    let columns: readonly string[] = [];
    let rows = 0;
    const later: (() => Promise<void>)[] = [];
    for await (const value of valuesOf(file)) {
      if (!header) header = checkHeader(value);
      else if (!Array.isArray(value)) ({ table, columns } = checkTable(value, tables));
      else if (!table) throw damaged();
      else {
        later.push(...(await insert(tx, table, columns, value)));
        rows += 1;
        onRows(rows);
      }
    }
    if (!header) throw damaged();
    for (const update of later) await update();
    await continueCounting(db, tx, tables.values());
    return { header, rows };
  });
}

async function* valuesOf(file: string): AsyncGenerator<unknown> {
  try {
    const text = createReadStream(file).pipe(createGunzip());
    for await (const line of createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY }))
      yield JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw damaged();
    throw error;
  }
}

const damaged = () => new CommandError('The file is damaged or is no Gatehouse backup; nothing was restored.');

async function refuseFilled(tx: Query): Promise<void> {
  const { rows } = await sql`select 1 from users limit 1`.execute(tx);
  if (rows.length > 0) throw new CommandError('The database is not empty; restore only fills an empty one.');
}

function checkHeader(value: unknown): BackupHeader {
  const header = value as BackupHeader | null;
  if (header?.format !== 'gatehouse-backup' || header.version !== 1) throw damaged();
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = header.migrations.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new CommandError(`The backup comes from a newer Gatehouse (${unknown.join(', ')}); update first.`);
  return header;
}

function checkTable(
  value: unknown,
  tables: ReadonlyMap<string, TableFacts>,
): { table: TableFacts; columns: readonly string[] } {
  const { table: name, columns } = value as TableLine;
  const table = tables.get(name);
  if (!table || !Array.isArray(columns) || columns.some((column) => !table.columns.includes(column))) throw damaged();
  return { table, columns };
}

/** A row that names a row of its own table is stored without that first; the reference follows when all rows are there. */
async function insert(
  tx: Query,
  table: TableFacts,
  columns: readonly string[],
  values: readonly unknown[],
): Promise<(() => Promise<void>)[]> {
  if (values.length !== columns.length) throw damaged();
  const row = new Map(columns.map((column, index) => [column, values[index]]));
  const updates: (() => Promise<void>)[] = [];
  for (const { column } of table.references.filter((reference) => reference.table === table.name)) {
    const value = row.get(column);
    if (value === null) continue;
    row.set(column, null);
    updates.push(async () => {
      await sql`update ${sql.table(table.name)} set ${sql.ref(column)} = ${value} where pk = ${row.get('pk')}`.execute(
        tx,
      );
    });
  }
  const names = sql.join([...row.keys()].map((name) => sql.ref(name)));
  await sql`insert into ${sql.table(table.name)} (${names}) values (${sql.join([...row.values()])})`.execute(tx);
  return updates;
}

/** Keys that the database counts go on after the highest one restored. SQLite does that by itself. */
async function continueCounting(db: Database, tx: Query, tables: Iterable<TableFacts>): Promise<void> {
  if (db.dialect.name !== 'postgres') return;
  for (const { name } of [...tables].filter(({ counted }) => counted)) {
    await sql`select setval(pg_get_serial_sequence(${name}, 'pk'), coalesce((select max(pk) from ${sql.table(name)}), 0) + 1, false)`.execute(
      tx,
    );
  }
}
