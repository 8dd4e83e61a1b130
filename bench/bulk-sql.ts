import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { BenchDatabase } from './databases.ts';

/** Runs SQL on a database that no server has open, fast and without regard to power failures. */
export interface BulkSql {
  run(text: string): Promise<void>;
  /** Runs statements that do not depend on each other, several at a time where the database can. */
  runAll(texts: readonly string[]): Promise<void>;
  /**
   * Runs work on a table without its triggers and the indexes that enforce nothing; the indexes are built afterwards.
   */
  bare(table: string, work: () => Promise<void>): Promise<void>;
  readonly words: BulkWords;
  close(): Promise<void>;
}

/** What the two databases write differently. */
export interface BulkWords {
  /** Names a derived table `n(i)` of whole numbers. */
  numbers(from: number, to: number): string;
  /** A key that grows with a number, so that it is added at the end of its index. */
  uuid(number: string): string;
  /** A moment so many seconds ago. */
  ago(seconds: string): string;
  readonly json: string;
  readonly no: string;
}

export const openBulkSql = ({ kind, place }: BenchDatabase, say: (line: string) => void): Promise<BulkSql> =>
  kind === 'postgres' ? onPostgres(place, say) : onSqlite(place, say);

const connections = 4;

async function onPostgres(place: string, say: (line: string) => void): Promise<BulkSql> {
  const pool = new pg.Pool({
    connectionString: place,
    max: connections,
    options: '-c maintenance_work_mem=1GB -c work_mem=256MB -c synchronous_commit=off',
  });
  const run = async (text: string) => void (await pool.query(text));
  const runAll = async (texts: readonly string[]) => {
    await Promise.all(
      texts.map(async (text) => {
        await run(text);
        say(titleOf(text));
      }),
    );
  };
  return {
    run,
    runAll,
    async bare(table, work) {
      const { rows } = await pool.query<{ name: string; text: string }>(
        `select indexname as name, indexdef as text from pg_indexes
          where schemaname = current_schema() and tablename = $1 and indexdef not like '%UNIQUE%'`,
        [table],
      );
      for (const { name } of rows) await run(`drop index "${name}"`);
      await run(`alter table "${table}" disable trigger user`);
      await work();
      await run(`alter table "${table}" enable trigger user`);
      // Search indexes take longest.
      await runAll(rows.map(({ text }) => text).sort((one, other) => weightOf(other) - weightOf(one)));
    },
    words: {
      numbers: (from, to) => `n(i) as (select * from generate_series(${from}, ${to - 1}))`,
      uuid: (number) =>
        `cast(lpad(to_hex(${number}), 8, '0') || '-0000-4000-8000-' || lpad(to_hex(${number}), 12, '0') as uuid)`,
      ago: (seconds) => `now() - (${seconds}) * interval '1 second'`,
      json: 'jsonb',
      no: 'false',
    },
    close: () => pool.end(),
  };
}

const weightOf = (index: string) => (/ using gin /i.test(index) ? 1 : 0);
const titleOf = (text: string) => text.slice(0, 60).replaceAll(/\s+/g, ' ');

async function onSqlite(place: string, say: (line: string) => void): Promise<BulkSql> {
  const connection = new DatabaseSync(place);
  const run = async (text: string) => connection.exec(text);
  const runAll = async (texts: readonly string[]) => {
    for (const text of texts) {
      await run(text);
      say(titleOf(text));
    }
  };
  // Node opens databases so that they cannot do without a journal.
  await run('pragma journal_mode = memory; pragma synchronous = off; pragma cache_size = -2000000');
  return {
    run,
    runAll,
    async bare(table, work) {
      const parts = connection
        .prepare(
          `select type, name, sql as text from sqlite_master where tbl_name = ? and sql is not null
            and (type = 'trigger' or (type = 'index' and sql not like '%unique%'))`,
        )
        .all(table);
      for (const { type, name } of parts) await run(`drop ${type} "${name}"`);
      await work();
      await runAll(parts.map(({ text }) => String(text)));
      await fillSearchIndex(table);
    },
    words: {
      numbers: (from, to) => `recursive n(i) as (select ${from} union all select i + 1 from n where i + 1 < ${to})`,
      uuid: (number) => `printf('%08x-0000-4000-8000-%012x', ${number}, ${number})`,
      ago: (seconds) => `strftime('%Y-%m-%dT%H:%M:%f', 'now', -(${seconds}) || ' seconds') || '000Z'`,
      json: 'text',
      no: '0',
    },
    async close() {
      await run('pragma journal_mode = wal');
      connection.close();
    },
  };

  /**
   * With as little memory as the server takes: the index would otherwise be one large segment, which the first few
   * changes would merge again.
   */
  async function fillSearchIndex(table: string): Promise<void> {
    const index = `${table}_search`;
    const found = connection.prepare('select 1 from sqlite_master where name = ?').get(index);
    if (!found) return;
    say(index);
    await run(`insert into ${index} (${index}) values ('rebuild')`);
  }
}
