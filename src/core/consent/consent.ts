import { sql } from 'kysely';
import { Problem } from '../../lib/problem.ts';
import type { Query } from '../../platform/db/database.ts';

/** Scopes that a user has granted to an application. */
export interface Consent {
  readonly user: number;
  readonly application: string;
  readonly scopes: readonly string[];
}

/** The scopes as one normalized text: their order does not matter. */
const permissionsOf = (scopes: readonly string[]) => [...new Set(scopes)].sort().join(' ');

/**
 * Stores or renews a consent; `expires` null means indefinitely. No other code creates consents. The application may
 * have been deleted since the person was asked.
 */
export async function storeConsent(tx: Query, consent: Consent, expires: string | null): Promise<number> {
  const { user, application, scopes } = consent;
  const { rows } = await sql<{
    pk: number;
  }>`insert into user_consents ("user", application, permissions, expires, expiring)
    select ${user}, pk, ${permissionsOf(scopes)}, ${expires}, ${expires !== null} from applications where pk = ${application}
    on conflict ("user", application, permissions) do update set expires = ${expires}, expiring = ${expires !== null}
    returning pk`.execute(tx);
  const [stored] = rows;
  if (!stored) throw new Problem('permission_denied', 'This application is not here any more.');
  return stored.pk;
}

/** Whether the user has given consent that is still valid. */
export async function hasConsent(query: Query, consent: Consent, now: string): Promise<boolean> {
  const { user, application, scopes } = consent;
  const { rows } = await sql`select 1 from user_consents where "user" = ${user} and application = ${application}
    and permissions = ${permissionsOf(scopes)} and (not expiring or expires > ${now})`.execute(query);
  return rows.length > 0;
}

/** The scopes of the valid consent that the user gave last to the application; null if there is none. */
export async function lastConsent(
  query: Query,
  { user, application }: Pick<Consent, 'user' | 'application'>,
  now: string,
): Promise<readonly string[] | null> {
  const { rows } = await sql<{ permissions: string }>`select permissions from user_consents
    where "user" = ${user} and application = ${application} and (not expiring or expires > ${now})
    order by pk desc limit 1`.execute(query);
  return rows[0]?.permissions.split(' ') ?? null;
}
