import { sql } from 'kysely';
import { usernameKey } from '../../../../core/directory/name-keys.ts';
import { normalizeValue, parseDn } from '../../../../lib/ldap/dn.ts';
import type { Query } from '../../../../platform/db/database.ts';
import { isStorable } from '../../../../resource/fields/well-formed.ts';
import { nameWithin, type View } from './entry-kind.ts';

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** The groups of this name, in any case. */
export async function groupsNamed(query: Query, name: string): Promise<string[]> {
  if (!isStorable(name)) return [];
  // `lower()` knows ASCII letters alone.
  const narrowed = isAscii(name) ? sql`where lower(name) = lower(${name})` : sql``;
  const { rows } = await sql<{ pk: string; name: string }>`select pk, name from groups ${narrowed}`.execute(query);
  const wanted = normalizeValue(name);
  return rows.filter((row) => normalizeValue(row.name) === wanted).map(({ pk }) => pk);
}

export async function usersNamed(query: Query, name: string): Promise<number[]> {
  if (!isStorable(name)) return [];
  const { rows } = await sql<{ pk: number; username: string }>`select pk, username from users
    where username_key = ${usernameKey.of(name)}`.execute(query);
  const wanted = normalizeValue(name);
  return rows.filter(({ username }) => normalizeValue(username) === wanted).map(({ pk }) => pk);
}

/** The groups that a value of `memberOf` or `member` names. */
export async function groupsOfDn({ query, provider }: View, text: string | null): Promise<string[]> {
  const dn = text === null ? null : parseDn(text);
  const name = dn && nameWithin(dn, provider, 'groups');
  return name === null ? [] : groupsNamed(query, name);
}

/** The users that a value of `member` names, or whose primary groups a name is. */
export async function usersOfDn(
  { query, provider }: View,
  text: string | null,
  container: 'users' | 'virtual-groups' = 'users',
): Promise<number[]> {
  const dn = text === null ? null : parseDn(text);
  const name = dn && nameWithin(dn, provider, container);
  return name === null ? [] : usersNamed(query, name);
}
