import { loadClient } from './client.ts';
import type { OAuthNeeds } from './needs.ts';
import type { OAuthEndpoint } from './oauth-edge.ts';
import { OAuthError } from './oauth-error.ts';
import { publicKeys } from './published-keys.ts';

/** The keys by which tokens of an application's provider are verified (RFC 7517 §5). */
export function jwksEndpoint(needs: OAuthNeeds): OAuthEndpoint {
  return async (exchange) => {
    const { call } = exchange;
    const client = await loadClient(needs, { slug: call.params.slug ?? '' });
    if (!client) throw new OAuthError('invalid_request', 'There is no such application.', { status: 404 });
    exchange.isOf(client);
    const keys = await publicKeys(call.db.read, needs.signer, client, call.now);
    return { status: 200, body: { keys } };
  };
}
