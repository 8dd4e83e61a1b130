import { type RawBuilder, sql } from 'kysely';
import { type UserFacts, type UserRow, userFactsOf, userFactsSql } from '../../../core/mapping/user-facts.ts';
import { asObject } from '../../../lib/json.ts';
import { isSameName, nameKey } from '../../../lib/name-key.ts';
import { byDialect } from '../../../platform/db/by-dialect.ts';
import type { Dialect } from '../../../platform/db/dialect.ts';
import { columnStatement } from '../../../platform/db/statement.ts';
import type { Call } from '../../../resource/call.ts';
import { userFields } from './identification-stage.resource.ts';

/** Users who match a name; each row brings their groups. */
const maxMatches = 50;

/**
 * The one user whom the text identifies by one of these members; null if there is none or several. Of names that differ in case
 * alone, from before those were refused, the exact one counts. A name that is another user's address counts unless that address
 * is verified: then its owner typed it.
 */
export async function findUser(
  { db }: Call,
  text: string,
  members: readonly string[],
  ignoresCase: boolean,
): Promise<UserFacts | null> {
  const searched = userFields.filter((name) => members.includes(name));
  if (searched.length === 0) return null;
  const { inAnyCase, exactly } = named[db.dialect.name];
  const key = nameKey(text);
  const rows = await (ignoresCase ? inAnyCase : exactly)(
    db.read,
    'users',
    searched,
    searched.map((name) => (ignoresCase && isKeyed(name) ? key : text)),
  );
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
const isKeyed = (member: string): boolean => member !== 'upn';

function isNamedByAttribute({ attributes }: UserRow, text: string): boolean {
  const { upn } = asObject(JSON.parse(attributes));
  return typeof upn === 'string' && upn.toLowerCase() === text.toLowerCase();
}

type Equal = (column: RawBuilder<unknown>, text: RawBuilder<unknown>) => RawBuilder<unknown>;

function namedOn(dialect: Dialect) {
  const upn = dialect.jsonText(sql`u.attributes`, ['upn']);
  const matching = (columnOf: (name: string) => RawBuilder<unknown>, equalUpn: Equal) =>
    columnStatement<UserRow>((_, names, texts) => {
      const conditions = texts.map((text, index) => {
        const name = names[index] ?? '';
        return name === 'upn' ? equalUpn(upn, text) : sql`${columnOf(name)} = ${text}`;
      });
      const isNamed = sql`(${sql.join(conditions, sql` or `)}) and u.type <> 'internal_service_account' limit ${sql.lit(maxMatches)}`;
      return userFactsSql(dialect, isNamed);
    });
  return {
    inAnyCase: matching(
      (name) => sql`u.${sql.ref(`${name}_key`)}`,
      (column, text) => sql`lower(${column}) = lower(${text})`,
    ),
    exactly: matching(
      (name) => sql`u.${sql.ref(name)}`,
      (column, text) => sql`${column} = ${text}`,
    ),
  };
}

const named = byDialect(namedOn);
