import { loadClient } from './client.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { OAuthError } from './oauth-error.ts';
import type { OAuthEndpoint } from './oauth-request.ts';
import { publicKeys } from './published-keys.ts';

/** The keys by which tokens of an application's provider are verified (RFC 7517 §5). */
export function jwksEndpoint(needs: OAuthDependencies): OAuthEndpoint {
  return async (exchange) => {
    const { call } = exchange;
    const client = await loadClient(needs, { slug: call.params.slug ?? '' });
    if (!client) throw new OAuthError('invalid_request', 'There is no such application.', { status: 404 });
    exchange.allowOriginsOf(client);
    const keys = await publicKeys(call.db.read, needs.signer, client, call.now);
    return { status: 200, body: { keys } };
  };
}
