import { sql } from 'kysely';
import type { Query } from '../../../platform/db/database.ts';
import type { GrantTerms } from './grants.ts';

/** When and how somebody proved who they are. */
export interface SignIn {
  readonly at: string;
  /** What tokens tell of it (RFC 8176); nothing where nothing is known. */
  readonly terms: Pick<GrantTerms, 'amr'>;
}

/** Null without a session. */
export async function signInOfSession(query: Query, session: string | null): Promise<SignIn | null> {
  if (session === null) return null;
  const { rows } = await sql<{ created: string; amr: string }>`select created, amr from authenticated_sessions
    where pk = ${session}`.execute(query);
  if (!rows[0]) return null;
  const amr: string[] = JSON.parse(rows[0].amr);
  return { at: rows[0].created, terms: amr.length > 0 ? { amr } : {} };
}
