import { sql } from 'kysely';
import type { Query } from '../platform/db/database.ts';

/** When and how somebody proved who they are. */
export interface SignIn {
  readonly at: string;
  /** Authentication methods (RFC 8176); empty where nothing is known. */
  readonly amr: readonly string[];
}

/** Null without a session. */
export async function signInOfSession(query: Query, session: string | null): Promise<SignIn | null> {
  if (session === null) return null;
  const { rows } = await sql<{ created: string; amr: string }>`select created, amr from authenticated_sessions
    where pk = ${session}`.execute(query);
  return rows[0] ? { at: rows[0].created, amr: JSON.parse(rows[0].amr) } : null;
}
