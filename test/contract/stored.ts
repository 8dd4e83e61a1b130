import { sql } from 'kysely';
import type { Database } from '../../src/platform/db/database.ts';
import type { TestServer } from '../support/server.ts';

/** Looks at what is stored, past the API. */
export interface Stored {
  /** How many rows each table has. */
  counts(): Promise<Record<string, number>>;
  /** Everything in a table, as text. */
  rowsOf(table: string): Promise<string>;
}

export async function createStored({ world: { db } }: TestServer): Promise<Stored> {
  // Jobs come and go by themselves, beside what a request does.
  const names = Object.keys(await columnsByTable(db)).filter((name) => name !== 'jobs');
  const columns = names.map((name) => sql`(select count(*) from ${sql.table(name)}) as ${sql.ref(name)}`);
  return {
    async counts() {
      const { rows } = await sql<Record<string, number>>`select ${sql.join(columns)}`.execute(db.read);
      return rows[0] as Record<string, number>;
    },
    async rowsOf(table) {
      const { rows } = await sql`select * from ${sql.table(table)}`.execute(db.read);
      return JSON.stringify(rows);
    },
  };
}

/** The columns of every table that is ours: not those that a search index is kept in. */
export async function columnsByTable(db: Database): Promise<Record<string, string[]>> {
  const tables = await db.read.introspection.getTables();
  const own = tables.filter(({ name, isView }) => !isView && !/_search(_\w+)?$/.test(name));
  return Object.fromEntries(own.map(({ name, columns }) => [name, columns.map((column) => column.name)]));
}
