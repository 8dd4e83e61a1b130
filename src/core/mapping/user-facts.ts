import { type RawBuilder, sql } from 'kysely';
import type { Json } from '../../lib/json.ts';
import type { Query } from '../../platform/db/database.ts';
import type { Dialect } from '../../platform/db/dialect.ts';
import { queryCache } from '../../platform/db/query-cache.ts';
import { dialectStatement } from '../../platform/db/statement.ts';
import type { Call } from '../../resource/call.ts';
import { groupsOfSql } from '../access/rights-sql.ts';
import { isEmailVerifiedSql } from '../directory/email-proof.ts';

/** A user as policies and expressions see them, without secrets. */
export type UserFacts = {
  readonly pk: number;
  readonly uuid: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  /** Whether the address is verified; null if unknown. */
  readonly email_verified: boolean | null;
  readonly type: string;
  readonly path: string;
  readonly is_active: boolean;
  readonly is_superuser: boolean;
  readonly attributes: Json;
  readonly last_login: string | null;
  readonly date_joined: string;
  /** When the account was last changed. */
  readonly updated_at: string;
  readonly password_change_date: string;
  readonly has_password: boolean;
  /** The user's groups and all their ancestors. */
  readonly groups: readonly GroupFacts[];
};

export type GroupFacts = {
  readonly pk: string;
  readonly name: string;
  readonly is_superuser: boolean;
  readonly attributes: Json;
};

/** As the database returns it. */
export type UserRow = Omit<
  UserFacts,
  'attributes' | 'groups' | 'is_active' | 'is_superuser' | 'has_password' | 'email_verified'
> & {
  readonly attributes: string;
  readonly groups: string;
  readonly is_active: boolean;
  /** Expressions, not columns, so SQLite returns numbers. */
  readonly has_password: unknown;
  readonly email_verified: unknown;
};

const groupSelect = sql`select g.pk, g.name, g.is_superuser, g.attributes from groups g`;
const groupColumns = ['pk', 'name', 'is_superuser', 'attributes'].map((alias) => ({
  alias,
  json: alias === 'attributes',
}));

/** The users (as `u`) that match a condition. `pk` is the key of the one, where it is known. */
export const userFactsSql = (dialect: Dialect, where: RawBuilder<unknown>, pk?: RawBuilder<unknown>) =>
  sql<UserRow>`select ${userColumns(dialect, pk)} from users u where ${where}`;

/** The columns of a `UserRow`, from `users u`. */
export function userColumns(dialect: Dialect, pk: RawBuilder<unknown> = sql`u.pk`): RawBuilder<unknown> {
  const groups = dialect.jsonArray(
    sql`${groupSelect} where g.pk in (${groupsOfSql(pk)}) order by g.name`,
    groupColumns,
  );
  return sql`u.pk, u.uuid, u.username, u.name, u.email, ${isEmailVerifiedSql} as email_verified, u.type, u.path, u.is_active,
    u.attributes, u.last_login, u.date_joined, u.password_change_date, coalesce(u.last_updated, u.date_joined) as updated_at,
    u.password not like '!%' as has_password, ${groups} as groups`;
}

/** Prepared, because one sign-in runs it many times. */
const userFacts = dialectStatement<[pk: number], UserRow>((dialect, pk) =>
  userFactsSql(dialect, sql`u.pk = ${pk}`, pk),
);

const cache = queryCache<UserFacts | null>('users');

/**
 * Like `loadUserFacts`, but through the query cache. Only for authenticated users: otherwise the response time would
 * reveal which user names exist.
 */
export const cachedUserFacts = (call: Pick<Call, 'db'>, pk: number): Promise<UserFacts | null> =>
  cache.read(call.db, pk, (query) => loadUserFacts(query, pk));

/** Loads a user, active or not, in one statement. */
export async function loadUserFacts(query: Query, pk: number): Promise<UserFacts | null> {
  const [row] = await userFacts(query, pk);
  return row ? userFactsOf(row) : null;
}

export function userFactsOf(row: UserRow): UserFacts {
  const groups: GroupFacts[] = JSON.parse(row.groups).map(groupOf);
  return {
    ...row,
    is_active: Boolean(row.is_active),
    has_password: Boolean(row.has_password),
    email_verified: row.email_verified === null ? null : Boolean(row.email_verified),
    // A superuser has a superuser group among these, so no further query is needed.
    is_superuser: groups.some((group) => group.is_superuser),
    attributes: JSON.parse(row.attributes),
    groups,
  };
}

const groupOf = (group: GroupFacts): GroupFacts => ({ ...group, is_superuser: Boolean(group.is_superuser) });

export async function loadGroupFacts(query: Query, pk: string): Promise<GroupFacts | null> {
  const { rows } = await sql<GroupFacts & { attributes: string }>`${groupSelect} where g.pk = ${pk}`.execute(query);
  return rows[0] ? groupOf({ ...rows[0], attributes: JSON.parse(rows[0].attributes) }) : null;
}
