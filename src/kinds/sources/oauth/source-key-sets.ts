import { sql } from 'kysely';
import type { KeySet } from '../../../flow/protocol-kind.ts';
import type { Query } from '../../../platform/db/database.ts';
import { discoveredOf, isIssuedBy } from './discovery.ts';
import type { OAuthSource } from './oauth-model.ts';

interface Row extends Pick<OAuthSource, 'provider_type' | 'oidc_well_known_url' | 'access_token_url'> {
  readonly source: string;
  readonly jwks: string;
  readonly url: string;
  readonly discovered: string;
}

/** The keys of enabled sources, for tokens that workloads of the other service sign. */
export async function sourceKeySets(sources: readonly string[], query: Query): Promise<KeySet[]> {
  const { rows } = await sql<Row>`select s.pk as source, o.oidc_jwks as jwks, o.oidc_jwks_url as url,
      o.oidc_discovered as discovered, o.provider_type, o.oidc_well_known_url, o.access_token_url
    from sources s join source_oauth o on o.pk = s.pk
    where s.pk in (${sql.join(sources)}) and s.enabled order by s.pk`.execute(query);
  return rows.map(({ source, jwks, url, discovered, ...addresses }) => {
    const known = discoveredOf({ ...addresses, oidc_discovered: JSON.parse(discovered) });
    return {
      source,
      jwks,
      url: url || (known?.jwks_uri ?? ''),
      isForeign: (claims) => known !== null && !isIssuedBy(known, claims),
    };
  });
}
