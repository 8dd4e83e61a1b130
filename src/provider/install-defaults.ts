import { type RawBuilder, sql } from 'kysely';
import type { Complaints } from '../lib/problem.ts';
import type { Query } from '../platform/db/database.ts';
import type { CheckInput } from '../resource/resource.ts';

/** Marks the pair that every installation is set up with. Its name can be changed, and given to another. */
export const ownPair = 'gatehouse/crypto/self-signed';

/**
 * Whether a row of `certificates` is the pair that the server was set up with: it signs for providers without a key of
 * their own.
 */
export const isOwnPairSql = (row: string): RawBuilder<boolean> =>
  sql`(${sql.ref(`${row}.managed`)} = ${sql.lit(ownPair)} and ${sql.ref(`${row}.key_data`)} <> '')`;

/** The pair that the server was set up with; null when it is gone. */
export async function ownSigningKey(query: Query): Promise<string | null> {
  const { rows } = await sql<{ pk: string }>`select pk from certificates
    where managed = ${ownPair} and key_data <> ''`.execute(query);
  return rows[0]?.pk ?? null;
}

/** The slug of the shipped flow with explicit consent. */
export const consentFlow = 'default-provider-authorization-explicit-consent';
export const consentlessFlow = 'default-provider-authorization-implicit-consent';

/** The flow with explicit consent, else any authorization flow; null without one. */
export async function defaultAuthorizationFlow(query: Query): Promise<string | null> {
  const { rows } = await sql<{ pk: string }>`select pk from flows where designation = 'authorization' and enabled
    order by slug <> ${consentFlow}, slug limit 1`.execute(query);
  return rows[0]?.pk ?? null;
}

/** Fills in the authorization flow of a new provider, so that it signs people in. */
export async function completeAuthorizationFlow({
  tx,
  values,
  given,
  current,
}: CheckInput<{ authorization_flow: string }>): Promise<Complaints | null> {
  if (current !== null || given.has('authorization_flow')) return null;
  const flow = await defaultAuthorizationFlow(tx);
  if (flow === null) return { authorization_flow: ['This field is required.'] };
  values.authorization_flow = flow;
  return null;
}

/** What the mapping that every installation has for a scope is managed as. */
export const scopeMappingName = (scope: string): string =>
  `gatehouse/providers/oauth2/scope-${scope.replace('/', '-')}`;

/** The scope by which proxies get all attributes of a user. */
export const proxyScope = 'gatehouse_proxy';

/** The keys of shipped mappings, by name. */
export async function mappingsManagedAs(query: Query, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ pk: string }>`select pk from property_mappings
    where managed in (${sql.join(names)}) order by name`.execute(query);
  return rows.map(({ pk }) => pk);
}
