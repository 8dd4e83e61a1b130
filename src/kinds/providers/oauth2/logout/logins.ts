import { sql } from 'kysely';
import type { Query } from '../../../../platform/db/database.ts';

// The clients that a user signed in to during a session, to notify them when it ends. The rows outlive the
// session, however it ends, until their clients have been notified.

export interface Login {
  readonly session: string;
  readonly provider: number;
  /** The subject, as issued to the client. */
  readonly subject: string;
  readonly sid: string;
}

/** Only clients that registered a logout URI. */
export async function storeLogin(tx: Query, { session, provider, subject, sid }: Login, now: string): Promise<void> {
  await sql`insert into oauth2_logins (session, provider, subject, sid, created)
    select ${session}, o.pk, ${subject}, ${sid}, ${now} from provider_oauth2 o where o.pk = ${provider}
      and (o.backchannel_logout_uri <> '' or o.frontchannel_logout_uri <> '')
    on conflict (session, provider) do update set subject = excluded.subject`.execute(tx);
}

/** Clients with front-channel logout. Must be called before the session ends. */
export async function findFrontChannelClients(query: Query, session: string): Promise<number[]> {
  const { rows } = await sql<Pick<Login, 'provider'>>`select l.provider
    from oauth2_logins l join provider_oauth2 o on o.pk = l.provider
    where l.session = ${session} and o.frontchannel_logout_uri <> '' order by l.pk`.execute(query);
  return rows.map(({ provider }) => provider);
}

/** Whether any client has to be notified. */
export async function hasLogins(query: Query): Promise<boolean> {
  const { rows } = await sql`select 1 from oauth2_logins limit 1`.execute(query);
  return rows.length > 0;
}

const maxAtOnce = 500;

/** Takes logins out whose session is over. */
export async function consumeEndedLogins(tx: Query, now: string): Promise<Login[]> {
  const { rows } = await sql<Login>`delete from oauth2_logins where pk in (select l.pk from oauth2_logins l
      left join authenticated_sessions s on s.pk = l.session and s.expires > ${now}
      where s.pk is null order by l.pk limit ${maxAtOnce}) returning session, provider, subject, sid`.execute(tx);
  return rows;
}
