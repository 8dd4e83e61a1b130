import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** Finds damaged rows. PostgreSQL itself ensures integrity. */
export async function findDamage({ dialect, read }: Database): Promise<string[]> {
  if (dialect.name !== 'sqlite') return [];
  const whole = await sql<{ integrity_check: string }>`pragma integrity_check(5)`.execute(read);
  const broken = whole.rows.map((row) => row.integrity_check).filter((text) => text !== 'ok');
  if (broken.length > 0) return broken;
  const loose = await sql`pragma foreign_key_check`.execute(read);
  return loose.rows.length === 0 ? [] : [`${loose.rows.length} rows name rows that are gone`];
}
