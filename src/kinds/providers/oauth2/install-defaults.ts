import { sql } from 'kysely';
import type { Query } from '../../../platform/db/database.ts';

/** As every installation is set up with. */
const ownPair = 'Gatehouse Self-signed Certificate';

/** What an application needs to sign people in and to stay signed in. */
export const usualScopes: readonly string[] = ['openid', 'email', 'profile', 'offline_access'];

export interface ManagedScope {
  readonly pk: string;
  readonly name: string;
}

/** The scopes that every installation has, as far as they are asked for and in that order. */
export async function managedScopes(query: Query, asked: readonly string[]): Promise<ManagedScope[]> {
  if (asked.length === 0) return [];
  const { rows } = await sql<ManagedScope>`select s.pk, s.scope_name as name from mapping_scope s
    join property_mappings m on m.pk = s.pk
    where m.managed is not null and s.scope_name in (${sql.join(asked)})`.execute(query);
  return rows.sort((one, other) => asked.indexOf(one.name) - asked.indexOf(other.name));
}

/** The pair that the server was set up with; null when it is gone. */
export async function ownSigningKey(query: Query): Promise<string | null> {
  const { rows } = await sql<{ pk: string }>`select pk from certificates
    where name = ${ownPair} and key_data <> ''`.execute(query);
  return rows[0]?.pk ?? null;
}

const explicitConsent = 'default-provider-authorization-explicit-consent';

/** The flow that asks people whether an application may know them, else any that authorizes; null when there is none. */
export async function defaultAuthorizationFlow(query: Query): Promise<string | null> {
  const { rows } = await sql<{ pk: string }>`select pk from flows where designation = 'authorization'
    order by slug <> ${explicitConsent}, slug limit 1`.execute(query);
  return rows[0]?.pk ?? null;
}
