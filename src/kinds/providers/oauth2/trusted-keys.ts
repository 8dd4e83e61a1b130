import { sql } from 'kysely';
import { loadTrustedKeys, type TrustedKeys, type TrustedKeysNeeds } from '../../../provider/workload/trusted-keys.ts';
import type { Client } from './client.ts';
import type { OAuthDependencies } from './dependencies.ts';

/** The keys by which a JWT of a client may be verified: its own, then those of the provider's JWKS sources. */
export async function keysTrustedBy(
  needs: TrustedKeysNeeds & Pick<OAuthDependencies, 'db'>,
  { pk, jwks, jwks_uri }: Pick<Client, 'pk' | 'jwks' | 'jwks_uri'>,
  jwt: string,
  now: string,
): Promise<TrustedKeys[]> {
  const query = needs.db.read;
  const { rows } = await sql<{ source: string }>`select source from provider_oauth2_jwks_sources
    where provider = ${pk}`.execute(query);
  const sources = rows.map(({ source }) => source);
  return loadTrustedKeys(needs, { own: { jwks, url: jwks_uri }, sources, jwt }, query, now);
}
