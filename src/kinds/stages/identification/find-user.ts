import { type RawBuilder, sql } from 'kysely';
import { hasAttributeSql } from '../../../core/directory/known-by-attribute.ts';
import { type UserFacts, type UserRow, userFactsOf, userFactsSql } from '../../../core/mapping/user-facts.ts';
import { asObject } from '../../../lib/json.ts';
import { isSameName, nameKey } from '../../../lib/name-key.ts';
import type { Database } from '../../../platform/db/database.ts';
import type { Call } from '../../../resource/call.ts';
import { userFields } from './identification-stage.resource.ts';

/** Users who match a name; each row brings their groups. */
const maxMatches = 50;

/**
 * The one user whom the text identifies by one of these members; null if there is none or several. Of names that differ
 * in case alone, from before those were refused, the exact one counts. A name that is another user's address counts
 * unless that address is verified: then its owner typed it.
 */
export async function findUser(
  { db }: Call,
  text: string,
  members: readonly string[],
  ignoresCase: boolean,
): Promise<UserFacts | null> {
  const searched = userFields.filter((name) => members.includes(name));
  if (searched.length === 0) return null;
  const rows = await findNamed(db, text, searched, ignoresCase);
  const isSame = (value: string) => (ignoresCase ? isSameName(value, text) : value === text);
  const byName = rows.filter(({ username }) => searched.includes('username') && isSame(username));
  const byAddress = rows.filter(({ email }) => searched.includes('email') && isSame(email));
  const byAttribute = rows.filter(
    (row) => !isSame(row.username) && !isSame(row.email) && isNamedByAttribute(row, text),
  );
  // An address that several users share identifies none of them.
  const found = new Set([...byName, ...(byAddress.length === 1 ? byAddress : []), ...byAttribute]);
  if (found.size <= 1) return factsOf([...found][0]);
  const exact = byName.find(({ username }) => username === text);
  if (!exact) return null;
  const isAddressOfAnother = [...found].some((row) => row !== exact && byAddress.includes(row) && row.email_verified);
  return isAddressOfAnother ? null : factsOf(exact);
}

const factsOf = (row: UserRow | undefined) => (row ? userFactsOf(row) : null);
function isNamedByAttribute({ attributes }: UserRow, text: string): boolean {
  const { upn } = asObject(JSON.parse(attributes));
  return typeof upn === 'string' && isSameName(upn, text);
}

async function findNamed(
  { read, dialect }: Database,
  text: string,
  members: readonly string[],
  ignoresCase: boolean,
): Promise<UserRow[]> {
  const isFound = sql`${isNamedSql(text, members, ignoresCase)} and u.type <> 'internal_service_account'
    limit ${sql.lit(maxMatches)}`;
  return (await userFactsSql(dialect, isFound).execute(read)).rows;
}

/** Whether `users u` have this name. Each member is found through an index. */
export function isNamedSql(text: string, members: readonly string[], ignoresCase: boolean): RawBuilder<boolean> {
  const conditions = members.map((member) => {
    if (member === 'upn') return hasAttributeSql(member, text, ignoresCase);
    return ignoresCase ? sql`u.${sql.ref(`${member}_key`)} = ${nameKey(text)}` : sql`u.${sql.ref(member)} = ${text}`;
  });
  return sql`(${sql.join(conditions, sql` or `)})`;
}
