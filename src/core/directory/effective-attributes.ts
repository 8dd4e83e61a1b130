import { sql } from 'kysely';
import { deepMergeAll } from '../../lib/deep-merge.ts';
import type { Json } from '../../lib/json.ts';
import type { Query } from '../../platform/db/database.ts';
import { groupsOfSql } from '../access/rights-sql.ts';

type Attributes = Record<string, Json>;

/**
 * Merges the attributes of a user's groups and their ancestors, in the order of their names, with the user's own last.
 */
export async function effectiveAttributes(query: Query, userId: number): Promise<Attributes> {
  const { rows } = await sql<{ name: string; own: number; attributes: string }>`
    select name, 0 as own, attributes from groups where pk in (${groupsOfSql(sql`${userId}`)})
    union all select '' as name, 1 as own, attributes from users where pk = ${userId} order by own, name`.execute(
    query,
  );
  return deepMergeAll(rows.map((row) => JSON.parse(row.attributes)));
}
