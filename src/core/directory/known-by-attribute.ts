import { type RawBuilder, sql } from 'kysely';
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
 * Whether an attribute of `users u` has this value; without case, look-alike letters count too. The first condition is
 * for the index of the attribute, which has 255 characters without case.
 */
export function hasAttributeSql(
  attribute: Exclude<NamingAttribute, 'email'>,
  value: string,
  ignoresCase: boolean,
): RawBuilder<boolean> {
  const stored = sql`u.attributes ->> ${sql.lit(attribute)}`;
  const given = sql`cast(${value} as text)`;
  const isAlike = sql`lower(substr(${stored}, 1, 255)) = lower(substr(${given}, 1, 255))`;
  if (!ignoresCase) return sql`(${isAlike} and ${stored} = ${given})`;
  const hasKey = attribute === 'upn' ? sql` or u.upn_key = ${nameKey(value)}` : sql``;
  return sql`((${isAlike} and lower(${stored}) = lower(${given}))${hasKey})`;
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
  const { rows } = await sql`select 1 as found from users u
    where ${hasAttributeSql(attribute, value, true)} and pk <> ${user} limit 1`.execute(query);
  return rows.length > 0;
}
