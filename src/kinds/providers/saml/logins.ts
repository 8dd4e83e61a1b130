import { sql } from 'kysely';
import type { Query } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/statement.ts';
import type { InstanceKey } from '../../../platform/keys.ts';

// The service providers that a user signed in to during a session, to notify them when it ends. The rows outlive
// the session, however it ends, until they have been notified.

export interface Login {
  readonly session: string;
  readonly provider: number;
  /** The SessionIndex sent to the service provider. */
  readonly session_index: string;
  readonly name_id: string;
  readonly name_id_format: string;
  /** The name that we went by. */
  readonly issuer: string;
}

/**
 * The SessionIndex for one service provider. Reveals nothing about the session, and differs for each service provider.
 */
export const sessionIndexOf = (key: Pick<InstanceKey, 'sign'>, session: string, provider: number): string =>
  `_${key.sign('saml session index', `${session} ${provider}`)}`;

/** The identifiers of a user at one service provider during one session. */
export const transientIdOf = (key: Pick<InstanceKey, 'sign'>, session: string, provider: number): string =>
  `_${key.sign('saml transient name', `${session} ${provider}`)}`;

const upsert = statement<unknown[], unknown>(
  (...values) => sql`insert into saml_logins
    (session, provider, session_index, name_id, name_id_format, issuer, created, expires) values (${sql.join(values)})
    on conflict (session, provider) do update set session_index = excluded.session_index, name_id = excluded.name_id,
      name_id_format = excluded.name_id_format, issuer = excluded.issuer, created = excluded.created,
      expires = excluded.expires`,
);

export async function storeLogin(tx: Query, login: Login, now: string, expires: string): Promise<void> {
  const { session, provider, session_index, name_id, name_id_format, issuer } = login;
  await upsert(tx, session, provider, session_index, name_id, name_id_format, issuer, now, expires);
}

const columns = sql`l.session, l.provider, l.session_index, l.name_id, l.name_id_format, l.issuer`;

export async function findLogin(query: Query, session: string, provider: number): Promise<Login | null> {
  const { rows } = await sql<Login>`select ${columns} from saml_logins l
    where l.session = ${session} and l.provider = ${provider}`.execute(query);
  return rows[0] ?? null;
}

/** The logins that a service provider may mean by a name and session indexes; without any, all of that name. */
export async function loginsOf(
  query: Query,
  provider: number,
  nameId: string,
  indexes: readonly string[],
): Promise<Login[]> {
  const named = indexes.length === 0 ? sql`` : sql` and l.session_index in (${sql.join(indexes)})`;
  const { rows } = await sql<Login>`select ${columns} from saml_logins l
    where l.provider = ${provider} and l.name_id = ${nameId}${named} limit ${maxTaken}`.execute(query);
  return rows;
}

/** Service providers with front-channel logout. Must be called before the session ends. */
export async function findBrowserLogouts(query: Query, session: string): Promise<Login[]> {
  const { rows } = await sql<Login>`select ${columns} from saml_logins l join provider_saml s on s.pk = l.provider
    where l.session = ${session} and s.sls_url <> '' and s.logout_method = 'frontchannel'
    order by l.pk limit ${maxVisited}`.execute(query);
  return rows;
}

/** Whether some service providers cannot be notified of the logout. Must be called before the session ends. */
export async function hasUnreachable(query: Query, session: string): Promise<boolean> {
  const { rows } = await sql<{ silent: unknown; visited: unknown }>`select
      count(case when s.sls_url = '' then 1 end) as silent,
      count(case when s.sls_url <> '' and s.logout_method = 'frontchannel' then 1 end) as visited
    from saml_logins l join provider_saml s on s.pk = l.provider where l.session = ${session}`.execute(query);
  return Number(rows[0]?.silent) > 0 || Number(rows[0]?.visited) > maxVisited;
}

export async function deleteLogin(
  tx: Query,
  { session, provider }: Pick<Login, 'session' | 'provider'>,
): Promise<void> {
  await sql`delete from saml_logins where session = ${session} and provider = ${provider}`.execute(tx);
}

/** Whether any service provider has to be notified. */
export async function hasLogins(query: Query): Promise<boolean> {
  const { rows } = await sql`select 1 from saml_logins limit 1`.execute(query);
  return rows.length > 0;
}

const maxVisited = 20;
const maxTaken = 500;

/** Takes logins out whose session is over. */
export async function consumeEndedLogins(tx: Query, now: string): Promise<Login[]> {
  const { rows } = await sql<Login>`delete from saml_logins where pk in (select l.pk from saml_logins l
      left join authenticated_sessions s on s.pk = l.session and s.expires > ${now}
      where s.pk is null order by l.pk limit ${maxTaken})
    returning session, provider, session_index, name_id, name_id_format, issuer`.execute(tx);
  return rows;
}
