import { sql } from 'kysely';
import { isSuperuserSql } from '../core/access/rights-sql.ts';
import type { Query } from '../platform/db/database.ts';
import type { Identity, MappedIdentity } from './properties.ts';
import type { SourceRow } from './source.family.ts';

/** The user for an external account. */
export type Match =
  | { readonly outcome: 'known user'; readonly user: number }
  | { readonly outcome: 'new user' }
  | { readonly outcome: 'refused' };

/**
 * Decides by the account's connection, and without one by the source's matching mode.
 * An address that nobody has proven to own finds nobody: else whoever types it in takes over the account.
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
  // What an account is called for one session says nothing of anybody.
  if (mode === 'identifier' || isTemporary) return { outcome: 'new user' };
  const column = mode.startsWith('email') ? 'email' : 'username';
  const value = properties[column];
  if (typeof value !== 'string' || value === '') return { outcome: 'refused' };
  // That an address was confirmed says nothing of another one that a mapping puts in its place.
  if (column === 'email' && !(isEmailConfirmed && sameText(value, email))) return { outcome: 'refused' };

  const { rows } = await sql<{ pk: number; is_out_of_reach: boolean }>`select u.pk,
    exists (select 1 from user_source_connections c where c."user" = u.pk and c.source = ${source.pk})
      or ${isSuperuserSql(sql`u.pk`)} as is_out_of_reach
    from users u where lower(${sql.ref(`u.${column}`)}) = lower(${value}) limit 2`.execute(query);
  const [found] = rows;
  if (!found) return { outcome: 'new user' };
  // Two people with one address cannot be told apart, and who is linked to another account there is not this person.
  // Superusers are linked by hand alone: what another system calls somebody is not enough to become one.
  if (mode.endsWith('_deny') || rows.length > 1 || found.is_out_of_reach) return { outcome: 'refused' };
  return { outcome: 'known user', user: found.pk };
}

const sameText = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** The user to whom the account belongs. */
export async function findConnection(query: Query, source: string, identifier: string): Promise<number | null> {
  const { rows } = await sql<{ user: number }>`select "user" from user_source_connections
    where source = ${source} and identifier = ${identifier}`.execute(query);
  return rows[0]?.user ?? null;
}
