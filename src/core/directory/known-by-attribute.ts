import { sql } from 'kysely';
import { nameKey } from '../../lib/name-key.ts';
import type { Query } from '../../platform/db/database.ts';
import { findByName } from './name-keys.ts';
import { uidOf } from './uid.ts';

/**
 * Attributes by which applications may identify users although they are not unique. Each has an index for this
 * comparison.
 */
export type NamingAttribute = 'upn' | 'distinguishedName' | 'email';

export interface NamedUser {
  readonly user: number;
  readonly attribute: NamingAttribute;
  /** The value of the attribute, or the user's uid where they have none. */
  readonly value: string;
  readonly installId: string;
}

/**
 * Whether an application that identifies users by this attribute could confuse the user with another. Compared without
 * case and by look-alike letters.
 */
export async function isAmbiguousName(
  query: Query,
  { user, attribute, value, installId }: NamedUser,
): Promise<boolean> {
  if (attribute === 'email') return (await findByName(query, value, ['email'])).some(({ pk }) => pk !== user);
  const uid = uidOf(user, installId);
  if (value === uid) return false;
  // Users without the attribute are identified by their uid, so no other user may have that as a value.
  if (/^[0-9a-f]{64}$/i.test(value)) return true;
  const stored = sql`attributes ->> ${sql.lit(attribute)}`;
  const given = sql`cast(${value} as text)`;
  const isSame = sql`lower(substr(${stored}, 1, 255)) = lower(substr(${given}, 1, 255)) and lower(${stored}) = lower(${given})`;
  const isAlike = attribute === 'upn' ? sql` or upn_key = ${nameKey(value)}` : sql``;
  const { rows } =
    await sql`select 1 as found from users where ((${isSame})${isAlike}) and pk <> ${user} limit 1`.execute(query);
  return rows.length > 0;
}
