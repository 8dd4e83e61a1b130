import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../../../platform/db/dialect.ts';
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
): Promise<number | null> {
  const searched = userFields.filter((name) => members.includes(name));
  if (searched.length === 0) return null;
  const { rows } = await named(db.dialect, text, searched, ignoresCase).execute(db.read);
  const found = rows.length === 1 ? rows[0] : rows.find(({ username }) => username === text);
  return found?.pk ?? null;
}

function named(dialect: Dialect, text: string, members: readonly string[], ignoresCase: boolean) {
  const columns: Readonly<Record<string, RawBuilder<unknown>>> = {
    username: sql`u.username`,
    email: sql`u.email`,
    upn: dialect.jsonText(sql`u.attributes`, ['upn']),
  };
  const conditions = members.map((name) =>
    ignoresCase ? sql`lower(${columns[name]}) = lower(${text})` : sql`${columns[name]} = ${text}`,
  );
  return sql<{ pk: number; username: string }>`select u.pk, u.username from users u
    where (${sql.join(conditions, sql` or `)}) and u.type <> 'internal_service_account' limit 20`;
}
