import type { KeySet, RouteServer } from '../../flow/protocol-kind.ts';
import type { Query } from '../../platform/db/database.ts';
import { isKeySet, type RemoteKeys } from '../../platform/fetch/remote-keys.ts';

/** A key set that signs for workloads of a source, or for a client. */
export interface TrustedKeys {
  /** The JWKS source that it belongs to; null for a client's own keys, which authenticate the client only. */
  readonly source: string | null;
  readonly jwks: string;
  /** Whether the source is known to be at another issuer than the JWT names. */
  readonly isForeign: KeySet['isForeign'];
}

export interface TrustedKeysNeeds {
  readonly remoteKeys: RemoteKeys;
  readonly keySets: RouteServer['keySets'];
}

type OwnKeys = Pick<KeySet, 'jwks' | 'url'>;

/**
 * The keys by which a JWT may be verified: a client's own, then those of JWKS sources. Stored keys win over those at an
 * address. Rotated keys are fetched by the `kid` of the JWT.
 */
export async function loadTrustedKeys(
  { remoteKeys, keySets }: TrustedKeysNeeds,
  { own, sources, jwt }: { readonly own?: OwnKeys; readonly sources: readonly string[]; readonly jwt: string },
  query: Query,
  now: string,
): Promise<TrustedKeys[]> {
  const published = sources.length > 0 ? await keySets(sources, query) : [];
  const sets = [...(own ? [{ ...own, source: null, isForeign: () => false }] : []), ...published];
  const kid = unverifiedKeyId(jwt);
  const trusted: TrustedKeys[] = [];
  for (const { source, jwks, url, isForeign } of sets) {
    const keys = isKeySet(JSON.parse(jwks)) || url === '' ? jwks : await remoteKeys(url, now, kid);
    if (keys !== null && isKeySet(JSON.parse(keys))) trusted.push({ source, jwks: keys, isForeign });
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
