import { sql } from 'kysely';
import type { Query } from '../../../platform/db/database.ts';
import type { InstanceKey } from '../../../platform/keys.ts';

// Which service providers somebody has signed in to during a session, so that they can be told when it ends. The rows outlive
// the session, however it ends, until they have been told.

export interface Login {
  readonly session: string;
  readonly provider: number;
  /** What the service provider knows the session by. */
  readonly session_index: string;
  readonly name_id: string;
  readonly name_id_format: string;
  /** The name that we went by. */
  readonly issuer: string;
}

/** What one service provider knows a session by; nobody can tell the session from it, nor compare it with another's. */
export const sessionIndexOf = (key: Pick<InstanceKey, 'sign'>, session: string, provider: number): string =>
  `_${key.sign('saml session index', `${session} ${provider}`)}`;

/** What stands for a person at one service provider during one session. */
export const transientIdOf = (key: Pick<InstanceKey, 'sign'>, session: string, provider: number): string =>
  `_${key.sign('saml transient name', `${session} ${provider}`)}`;

export async function noteLogin(tx: Query, login: Login, now: string, expires: string): Promise<void> {
  const { session, provider, session_index, name_id, name_id_format, issuer } = login;
  await sql`insert into saml_logins (session, provider, session_index, name_id, name_id_format, issuer, created, expires)
    values (${session}, ${provider}, ${session_index}, ${name_id}, ${name_id_format}, ${issuer}, ${now}, ${expires})
    on conflict (session, provider) do update set session_index = excluded.session_index, name_id = excluded.name_id,
      name_id_format = excluded.name_id_format, issuer = excluded.issuer, created = excluded.created,
      expires = excluded.expires`.execute(tx);
}
