import { sql } from 'kysely';
import { isKeySet } from '../../../platform/fetch/remote-keys.ts';
import type { Client } from './client.ts';
import type { OAuthDependencies } from './dependencies.ts';

/** A key set that signs for a client, or for its workloads. */
export interface TrustedKeys {
  /** The JWKS source that it belongs to; null for the client's own keys, which authenticate the client only. */
  readonly source: string | null;
  readonly jwks: string;
}

/**
 * The keys by which a JWT of a client may be verified: its own, then those of the provider's JWKS sources. Stored keys
 * win over those at an address. Rotated keys are fetched by the `kid` of the JWT.
 */
export async function loadTrustedKeys(
  { db, remoteKeys, keySets }: Pick<OAuthDependencies, 'db' | 'remoteKeys' | 'keySets'>,
  client: Pick<Client, 'pk' | 'jwks' | 'jwks_uri'>,
  jwt: string,
  now: string,
): Promise<TrustedKeys[]> {
  const { rows } = await sql<{ source: string }>`select source from provider_oauth2_jwks_sources
    where provider = ${client.pk}`.execute(db.read);
  const sources = rows.map(({ source }) => source);
  const published = sources.length > 0 ? await keySets(sources, db.read) : [];
  const kid = unverifiedKeyId(jwt);
  const trusted: TrustedKeys[] = [];
  for (const { source, jwks, url } of [{ source: null, jwks: client.jwks, url: client.jwks_uri }, ...published]) {
    const keys = isKeySet(JSON.parse(jwks)) || url === '' ? jwks : await remoteKeys(url, now, kid);
    if (keys !== null && isKeySet(JSON.parse(keys))) trusted.push({ source, jwks: keys });
  }
  return trusted;
}

/** Which key a JWT claims to be signed with. */
function unverifiedKeyId(jwt: string): string | undefined {
  try {
    const { kid } = JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString('utf8'));
    return typeof kid === 'string' ? kid : undefined;
  } catch {
    // Not a JWT; verification will say so.
    return undefined;
  }
}
