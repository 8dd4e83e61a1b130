import { type ActiveToken, findAccessToken, findRefreshToken } from './active-token.ts';
import { seconds } from './claims.ts';
import { loadClient } from './client.ts';
import { authenticateClient, requireConfidential } from './client-authentication.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { audienceOf } from './issue.ts';
import type { OAuthEndpoint } from './oauth-request.ts';

const inactive = { status: 200, body: { active: false } };

/**
 * Token introspection (RFC 7662). A client can introspect its own tokens and those that are meant for it, no others.
 */
export function introspectionEndpoint(needs: OAuthDependencies): OAuthEndpoint {
  return async (exchange) => {
    const { call, params } = exchange;
    const by = await authenticateClient(needs, exchange);
    requireConfidential(by);
    const { client } = by;
    const text = params.require('token');
    const { read } = call.db;
    const access = await findAccessToken(read, needs.key, text, call.now);
    const token = access ?? (await findRefreshToken(read, needs.key, text, call.now));
    const isTheirs = token && (token.provider === client.pk || token.terms.resource?.includes(client.client_id));
    if (!isTheirs || !token.isUserActive) return inactive;
    const issuedTo = await loadClient(needs, { provider: token.provider });
    if (!issuedTo?.application.enabled) return inactive;
    const { sub, aud, iss } = token.claims;
    return {
      status: 200,
      body: {
        active: true,
        scope: token.scope.join(' '),
        client_id: aud,
        username: token.username,
        sub,
        iss,
        aud: audienceOf({ client_id: String(aud) }, token.terms),
        ...timesOf(token),
        ...(access && { token_type: token.terms.jkt === undefined ? 'Bearer' : 'DPoP' }),
        ...(token.terms.jkt !== undefined && { cnf: { jkt: token.terms.jkt } }),
        ...(token.terms.act && { act: token.terms.act }),
      },
    };
  };
}

const timesOf = ({ created, expires }: ActiveToken) => ({
  iat: seconds(created),
  ...(expires !== null && { exp: seconds(expires) }),
});
