import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { isStorable } from '../../resource/fields/well-formed.ts';

/** The name of the application with this slug; null if there is none that people can use. */
export async function applicationName(query: Query, slug: string): Promise<string | null> {
  if (!isStorable(slug)) return null;
  const { rows } = await sql<{ name: string }>`select name from applications
    where slug = ${slug} and enabled`.execute(query);
  return rows[0]?.name ?? null;
}
