import { sql } from 'kysely';
import { loadClient } from './client.ts';
import type { OAuthDependencies } from './dependencies.ts';
import type { OAuthEndpoint } from './oauth-request.ts';
import { publicKeys } from './published-keys.ts';
import type { PublicJwk } from './signing.ts';

/** The keys of all providers whose tokens name the whole server as their issuer. */
export function globalJwksEndpoint(needs: OAuthDependencies): OAuthEndpoint {
  return async ({ call }) => {
    const { rows } = await sql<{ pk: number }>`select pk from provider_oauth2 where issuer_mode = 'global'
      order by pk`.execute(call.db.read);
    const byKid = new Map<unknown, PublicJwk>();
    for (const { pk } of rows) {
      const client = await loadClient(needs, { provider: pk });
      const keys = client ? await publicKeys(call.db.read, needs.signer, client, call.now) : [];
      for (const jwk of keys) byKid.set(jwk.kid, jwk);
    }
    return { status: 200, body: { keys: [...byKid.values()] } };
  };
}
