import { type RawBuilder, sql } from 'kysely';
import { type UserFacts, type UserRow, userFactsOf, userFactsSql } from '../../../core/mapping/user-facts.ts';
import { byDialect } from '../../../platform/db/by-dialect.ts';
import type { Dialect } from '../../../platform/db/dialect.ts';
import { columnStatement } from '../../../platform/db/statement.ts';
import type { Call } from '../../../resource/call.ts';
import { userFields } from './identification-stage.resource.ts';

/**
 * The one user whom the text matches by one of these members; null if there is none, or several and none matches
 * exactly.
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
  const rows = await (ignoresCase ? inAnyCase : exactly)(
    db.read,
    'users',
    searched,
    searched.map(() => text),
  );
  const found = rows.length === 1 ? rows[0] : rows.find(({ username }) => username === text);
  return found ? userFactsOf(found) : null;
}

type Equal = (column: RawBuilder<unknown>, text: RawBuilder<unknown>) => RawBuilder<unknown>;

function namedOn(dialect: Dialect) {
  const columnOf = (name: string) =>
    name === 'upn' ? dialect.jsonText(sql`u.attributes`, ['upn']) : sql`u.${sql.ref(name)}`;
  const matching = (equal: Equal) =>
    columnStatement<UserRow>((_, names, texts) => {
      const conditions = texts.map((text, index) => equal(columnOf(names[index] ?? ''), text));
      const isNamed = sql`(${sql.join(conditions, sql` or `)}) and u.type <> 'internal_service_account' limit 20`;
      return userFactsSql(dialect, isNamed);
    });
  return {
    inAnyCase: matching((column, text) => sql`lower(${column}) = lower(${text})`),
    exactly: matching((column, text) => sql`${column} = ${text}`),
  };
}

const named = byDialect(namedOn);
