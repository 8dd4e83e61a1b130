import { sql } from 'kysely';
import { isSuperuserSql } from '../core/access/rights-sql.ts';
import { isEmailVerifiedSql } from '../core/directory/email-proof.ts';
import { findByName } from '../core/directory/name-keys.ts';
import { isSameName } from '../lib/name-key.ts';
import type { Query } from '../platform/db/database.ts';
import type { Identity, MappedIdentity } from './properties.ts';
import type { SourceRow } from './source.family.ts';

/** The user for an external account. */
export type Match =
  | { readonly outcome: 'known user'; readonly user: number }
  /** Has the address without having verified it here: an attacker may have entered it (pre-hijacking). */
  | { readonly outcome: 'unproven user'; readonly user: number }
  | { readonly outcome: 'new user' }
  | { readonly outcome: 'refused' };

/**
 * Decides by the account's connection, and without one by the source's matching mode. An address matches a user only if
 * the source has verified it, else entering it there would be an account takeover, and if the user here has, else an
 * attacker who registered with the address first could enter the account of its owner (pre-hijacking).
 */
export async function matchUser(
  source: SourceRow,
  { identifier, email, isEmailConfirmed }: Identity,
  { user: properties }: MappedIdentity,
  isTemporary: boolean,
  query: Query,
): Promise<Match> {
  const connected = await findConnection(query, source.pk, identifier);
  if (connected !== null) return { outcome: 'known user', user: connected };
  const mode = source.user_matching_mode;
  // Transient identifiers never match a user.
  if (mode === 'identifier' || isTemporary) return { outcome: 'new user' };
  const column = mode.startsWith('email') ? 'email' : 'username';
  const value = properties[column];
  if (typeof value !== 'string' || value === '') return { outcome: 'refused' };
  // Only the address from the source is verified, not one that a mapping sets.
  if (column === 'email' && !(isEmailConfirmed && isSameName(value, email))) return { outcome: 'refused' };

  const named = await findByName(query, value, [column]);
  if (named.length > 1) return { outcome: 'refused' };
  const { rows } = await sql<{ pk: number; is_out_of_reach: unknown; is_verified: unknown }>`select u.pk,
    exists (select 1 from user_source_connections c where c."user" = u.pk and c.source = ${source.pk})
      or ${isSuperuserSql(sql`u.pk`)} as is_out_of_reach,
      ${isEmailVerifiedSql} as is_verified
    from users u where u.pk = ${named[0]?.pk ?? null}`.execute(query);
  const [found] = rows;
  if (!found) return { outcome: 'new user' };
  // Several users with the address are ambiguous, and a user linked to another account there is a different person.
  // Superusers are never matched by name or address, only linked manually.
  if (mode.endsWith('_deny') || found.is_out_of_reach) return { outcome: 'refused' };
  if (column === 'email' && !found.is_verified) return { outcome: 'unproven user', user: found.pk };
  return { outcome: 'known user', user: found.pk };
}

/** The user to whom the account belongs. */
export async function findConnection(query: Query, source: string, identifier: string): Promise<number | null> {
  const { rows } = await sql<{ user: number }>`select "user" from user_source_connections
    where source = ${source} and identifier = ${identifier}`.execute(query);
  return rows[0]?.user ?? null;
}
