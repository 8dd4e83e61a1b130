import { cachedUserFacts } from '../../../core/mapping/user-facts.ts';
import { findAccessToken } from './active-token.ts';
import { type Client, isServedAt, loadClient } from './client.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { readDpopProof } from './dpop.ts';
import { claimsAskedFor, claimsOfScope } from './issue.ts';
import { OAuthError } from './oauth-error.ts';
import type { OAuthEndpoint, OAuthRequest } from './oauth-request.ts';
import { isFapi2 } from './security-profile.ts';
import { sourceTokensFor } from './source-tokens.ts';

/** What the scopes of an access token say of its user (OpenID Connect Core §5.3). */
export function userinfoEndpoint(needs: OAuthDependencies): OAuthEndpoint {
  return async (exchange) => {
    const { call } = exchange;
    const { token: text, isBound } = readToken(exchange);
    const token = await findAccessToken(call.db.read, needs.key, text, call.now);
    if (token) call.db.sawStamp?.(token.stamp);
    const client = token && (await loadClient(needs, { provider: token.provider }));
    const user = token && (await cachedUserFacts(call, token.user));
    if (!token || !client?.application.enabled || !isServedAt(client, call) || !user?.is_active)
      throw new OAuthError('invalid_token', 'The access token is invalid or expired.');
    exchange.allowOriginsOf(client);
    await checkHolder(needs, exchange, client, { accessToken: text, isBound, jkt: token.terms.jkt });
    if (!token.scope.includes('openid')) {
      throw new OAuthError('insufficient_scope', 'The access token was not granted the scope openid.');
    }
    const sourceTokens = await sourceTokensFor(needs, call, client, user.pk, token.scope);
    const granted = { client, user, scope: token.scope };
    const claims = await claimsOfScope(needs, call, granted, sourceTokens);
    const asked = await claimsAskedFor(needs, call, granted, token.terms.claims?.userinfo);
    return { status: 200, body: { ...claims, ...asked, sub: token.claims.sub } };
  };
}

/** RFC 6750 §2: in the header or in a form, never in the address, which is written down everywhere. */
function readToken({ call, params }: OAuthRequest): { token: string; isBound: boolean } {
  const [, scheme, inHeader] = /^(bearer|dpop) +(\S+)$/i.exec(call.request.header('authorization')?.trim() ?? '') ?? [];
  const inForm = call.request.method === 'POST' ? params.get('access_token') : undefined;
  if (inHeader !== undefined && inForm !== undefined) {
    throw new OAuthError('invalid_request', 'The request contains more than one access token.');
  }
  const token = inHeader ?? inForm;
  if (token === undefined) {
    // RFC 6750 §3.1: no error code for a request without a token.
    const headers = { 'www-authenticate': 'Bearer realm="gatehouse"' };
    throw new OAuthError('invalid_token', 'The access token is missing.', { headers });
  }
  return { token, isBound: scheme?.toLowerCase() === 'dpop' };
}

interface Presented {
  readonly accessToken: string;
  /** Whether it came under the scheme for tokens that are bound to a key. */
  readonly isBound: boolean;
  /** The key that it is bound to. */
  readonly jkt: string | undefined;
}

/** RFC 9449 §7: a token that is bound to a key comes with a proof of that key, under its own scheme. */
async function checkHolder(
  needs: OAuthDependencies,
  { call }: OAuthRequest,
  client: Client,
  { accessToken, isBound, jkt }: Presented,
): Promise<void> {
  // FAPI 2.0 Security Profile §5.3.4: tokens issued before the profile was set are rejected, too.
  if (jkt === undefined && !isBound && !isFapi2(client)) return;
  const proven = await readDpopProof(needs, call, { client, accessToken, status: 401 });
  if (!isBound || jkt === undefined || proven !== jkt) {
    throw new OAuthError('invalid_token', 'The DPoP proof does not match the key that the access token is bound to.');
  }
}
