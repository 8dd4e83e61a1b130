import { sql } from 'kysely';
import type { Query } from '../platform/db/database.ts';
import { statement } from '../platform/db/statement.ts';

/** When and how a user authenticated. */
export interface SignIn {
  readonly at: string;
  /** Authentication methods (RFC 8176); empty if unknown. */
  readonly amr: readonly string[];
}

const select = statement<[pk: string], { created: string; amr: string }>(
  (pk) => sql`select created, amr from authenticated_sessions where pk = ${pk}`,
);

/** Null without a session. */
export async function signInOfSession(query: Query, session: string | null): Promise<SignIn | null> {
  if (session === null) return null;
  const [row] = await select(query, session);
  return row ? { at: row.created, amr: JSON.parse(row.amr) } : null;
}
