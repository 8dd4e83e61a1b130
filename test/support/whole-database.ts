import { sql } from 'kysely';
import { leftOut } from '../../src/app/cli/backup-format.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { tablesInOrder } from '../../src/platform/db/introspect.ts';

export type Contents = Record<string, string[]>;

/** Every row of every table in a form that is the same for both databases: booleans as numbers, JSON by its value. */
export async function contentsOf(db: Database, leave: readonly string[] = [...leftOut]): Promise<Contents> {
  const contents: Contents = {};
  for (const { name } of await tablesInOrder(db)) {
    if (leave.includes(name)) continue;
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db.read);
    contents[name] = rows.map((row) => JSON.stringify(sorted(Object.entries(row).map(plain)))).sort();
  }
  return contents;
}

const plain = ([name, value]: [string, unknown]): [string, unknown] => {
  if (typeof value === 'boolean') return [name, value ? 1 : 0];
  if (typeof value === 'string' && /^[[{]/.test(value)) return [name, canonical(JSON.parse(value))];
  return [name, value];
};

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return sorted(Object.entries(value).map(([name, inner]) => [name, canonical(inner)]));
}

const sorted = (entries: [string, unknown][]): [string, unknown][] => entries.sort(([a], [b]) => (a < b ? -1 : 1));
