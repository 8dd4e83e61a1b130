import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../../../platform/db/dialect.ts';
import { type Statement, statement } from '../../../platform/db/statement.ts';
import type { Call } from '../../../resource/call.ts';
import { userFields } from './identification-stage.resource.ts';

/** The one user who is called so by one of these members; null for nobody, and when several are and none of them to the letter. */
export async function findUser(
  { db }: Call,
  text: string,
  members: readonly string[],
  ignoresCase: boolean,
): Promise<number | null> {
  const known = userFields.filter((name) => members.includes(name));
  if (known.length === 0) return null;
  const rows = await finderOf(db.dialect, known, ignoresCase)(db.read, text);
  const found = rows.length === 1 ? rows[0] : rows.find(({ username }) => username === text);
  return found?.pk ?? null;
}

type Finder = Statement<[text: string], { pk: number; username: string }>;

/** One for each way to ask: there are few, and every sign-in asks. */
const finders = new Map<string, Finder>();

function finderOf(dialect: Dialect, members: readonly string[], ignoresCase: boolean): Finder {
  const way = `${dialect.name} ${members} ${ignoresCase}`;
  const finder = finders.get(way) ?? makeFinder(dialect, members, ignoresCase);
  finders.set(way, finder);
  return finder;
}

function makeFinder(dialect: Dialect, members: readonly string[], ignoresCase: boolean): Finder {
  const columns: Readonly<Record<string, RawBuilder<unknown>>> = {
    username: sql`u.username`,
    email: sql`u.email`,
    upn: dialect.jsonText(sql`u.attributes`, ['upn']),
  };
  return statement((text) => {
    const conditions = members.map((name) =>
      ignoresCase ? sql`lower(${columns[name]}) = lower(${text})` : sql`${columns[name]} = ${text}`,
    );
    return sql`select u.pk, u.username from users u where (${sql.join(conditions, sql` or `)})
      and u.type <> 'internal_service_account' limit 20`;
  });
}
