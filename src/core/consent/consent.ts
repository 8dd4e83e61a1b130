import { sql } from 'kysely';
import type { Query } from '../../platform/db/database.ts';
import { firstRow } from '../../platform/db/first-row.ts';

/** Scopes that a user has granted to an application. */
export interface Consent {
  readonly user: number;
  readonly application: string;
  readonly scopes: readonly string[];
}

/** The scopes as one normalized text: their order does not matter. */
const permissionsOf = (scopes: readonly string[]) => [...new Set(scopes)].sort().join(' ');

/** Stores or renews a consent; `expires` null means indefinitely. No other code creates consents. */
export async function storeConsent(tx: Query, consent: Consent, expires: string | null): Promise<number> {
  const { user, application, scopes } = consent;
  const { rows } = await sql<{
    pk: number;
  }>`insert into user_consents ("user", application, permissions, expires, expiring)
    values (${user}, ${application}, ${permissionsOf(scopes)}, ${expires}, ${expires !== null})
    on conflict ("user", application, permissions) do update set expires = ${expires}, expiring = ${expires !== null}
    returning pk`.execute(tx);
  return firstRow(rows).pk;
}

/** Whether the user has given consent that is still valid. */
export async function hasConsent(query: Query, consent: Consent, now: string): Promise<boolean> {
  const { user, application, scopes } = consent;
  const { rows } = await sql`select 1 from user_consents where "user" = ${user} and application = ${application}
    and permissions = ${permissionsOf(scopes)} and (not expiring or expires > ${now})`.execute(query);
  return rows.length > 0;
}
