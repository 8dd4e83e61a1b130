import { hash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { type ActorRow, actorColumns, loadActor } from '../../../../core/access/actor.ts';
import { isSuperuserSql } from '../../../../core/access/rights-sql.ts';
import { statement } from '../../../../platform/db/statement.ts';
import { isForProvider, mayUse } from '../../../../provider/password-server/served-application.ts';
import type { ServerNeeds } from '../../../../provider/password-server/server-needs.ts';
import type { Actor } from '../../../../resource/access/actor.ts';
import type { Call } from '../../../../resource/call.ts';

/** Who a connection is bound as. It is looked up again for each operation: accounts change while connections last. */
export interface Authority {
  readonly provider: number;
  readonly user: number;
  readonly dn: string;
  /** When the password was set that was given. */
  passwordSet: string;
  /** The hash of the app password that was given instead. */
  readonly token: string | null;
  readonly boundAt: number;
  /** When the policies of the application were last evaluated. */
  accessAt: number;
}

const accessHoldsMs = 60_000;

/** The user of an authority as an actor; null if it has ended: the account, its password or its access has changed. */
export async function actorOf(needs: ServerNeeds, call: Call, authority: Authority): Promise<Actor | null> {
  const { user, token, passwordSet, provider } = authority;
  const [row] = await accountOf(call.db.read, token, provider, call.now, user);
  if (!row || (token === null ? row.password_set !== passwordSet : row.token === null)) return null;
  if (Date.now() - authority.accessAt > accessHoldsMs) {
    if (!(await mayUse(needs, call, provider, user))) return null;
    authority.accessAt = Date.now();
  }
  return loadActor(call.db, row, 'access token');
}

type Part = RawBuilder<unknown>;

const validToken = (token: Part, provider: Part, now: Part) =>
  sql`(select t.key_hash from tokens t where t.key_hash = ${token} and t.intent = 'app_password' and t."user" = u.pk
    and ${isForProvider(provider)} and (not t.expiring or t.expires > ${now}))`;

export async function passwordSetOf({ db }: Call, user: number): Promise<string> {
  const { rows } = await sql<{ set: string }>`select password_change_date as "set" from users
    where pk = ${user}`.execute(db.read);
  return rows[0]?.set ?? '';
}

const accountOf = statement<
  [token: string | null, provider: number, now: string, user: number],
  ActorRow & { password_set: string; token: string | null }
>(
  (token, provider, now, user) => sql`select ${actorColumns},
    ${isSuperuserSql(sql`u.pk`)} as is_superuser, u.password_change_date as password_set,
    ${validToken(token, provider, now)} as token from users u
    where u.pk = ${user} and u.is_active and u.type <> 'internal_service_account'`,
);

/** Differs once anything about the user changes: the account, the second factors, the groups, the app password. */
export async function stampOf(
  { db: { read: query, dialect }, now }: Call,
  provider: number,
  { user, token }: Pick<Authority, 'user' | 'token'>,
): Promise<string | null> {
  const groups = sql`select ug."group" from user_groups ug where ug."user" = u.pk order by ug."group"`;
  const { rows } = await sql`select u.username, u.name, u.email, u.type, u.path, u.attributes, u.password_change_date,
    u.last_updated, ${validToken(sql`${token}`, sql`${provider}`, sql`${now}`)} as token,
    (select count(*) from devices d where d."user" = u.pk and d.confirmed) as devices,
    (select max(d.pk) from devices d where d."user" = u.pk and d.confirmed) as device,
    ${dialect.jsonValues(groups, 'group')} as memberships
    from users u where u.pk = ${user} and u.is_active`.execute(query);
  return rows[0] ? hash('sha256', JSON.stringify(rows[0])) : null;
}
