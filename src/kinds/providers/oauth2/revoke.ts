import { sql } from 'kysely';
import { findAccessToken, findRefreshToken } from './active-token.ts';
import { authenticateClient } from './client-authentication.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { revokeFamily } from './grants.ts';
import { OAuthError } from './oauth-error.ts';
import type { OAuthEndpoint } from './oauth-request.ts';

const done = { status: 200, body: '', headers: { 'content-type': 'text/plain' } };

/**
 * Revokes a token of the client (RFC 7009). With a refresh token, all tokens of the same authorization are revoked.
 * The response does not reveal whether the token existed.
 */
export function revocationEndpoint(needs: OAuthDependencies): OAuthEndpoint {
  return async (exchange) => {
    const { call, params } = exchange;
    const { client, method } = await authenticateClient(needs, exchange);
    if (method === 'workload') throw new OAuthError('invalid_client', 'A workload may not revoke tokens.');
    const text = params.require('token');
    const { read } = call.db;
    const access = await findAccessToken(read, needs.key, text, call.now);
    if (access?.provider === client.pk) {
      await call.db.write((tx) =>
        sql`update oauth2_access_tokens set revoked = true where pk = ${access.pk}`.execute(tx),
      );
      return done;
    }
    const refresh = await findRefreshToken(read, needs.key, text, call.now);
    if (refresh?.provider === client.pk) await call.db.write((tx) => revokeFamily(call.db, tx, refresh.family));
    return done;
  };
}
