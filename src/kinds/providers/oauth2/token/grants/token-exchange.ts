import { lockFamily } from '../../../../../provider/grants.ts';
import { loadClient } from '../../client.ts';
import { requireConfidential } from '../../client-authentication.ts';
import { tokenExchangeGrant } from '../../grant-types.ts';
import { findAccessToken } from '../../live-token.ts';
import type { OAuthNeeds } from '../../needs.ts';
import { OAuthError } from '../../oauth-error.ts';
import type { GrantKind } from '../grant-kind.ts';

export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

const longestToken = 16_384;
const mostAudiences = 10;

/**
 * RFC 8693: a client trades an access token that it was given, or that is meant for it, for one of its own: about the same
 * user, with no more scope, and good for no longer.
 */
export const tokenExchange: GrantKind = {
  grantType: tokenExchangeGrant,
  isAuthorization: true,
  deniedAs: 'invalid_request',
  async redeem({ needs, call, params, by, jkt }) {
    requireConfidential(by);
    const text = params.require('subject_token');
    // Refused as it stands: whoever sends it means this token and nothing else that might be found in its place.
    if (text.length > longestToken) throw new OAuthError('invalid_request', 'subject_token is too long.');
    if (params.require('subject_token_type') !== accessTokenType) {
      throw new OAuthError('invalid_request', 'Only access tokens of this server can be exchanged.');
    }
    if (params.get('actor_token') !== undefined) {
      throw new OAuthError('invalid_request', 'Nobody can act for another here: actor_token is not taken.');
    }
    if ((params.get('requested_token_type') ?? accessTokenType) !== accessTokenType) {
      throw new OAuthError('invalid_request', 'Only access tokens can be asked for.');
    }
    const { client } = by;
    // What is stored as an access token is one. An ID token or a refresh token is not found, whatever it is called.
    const token = await findAccessToken(call.db.read, needs.key, text, call.now);
    const isTheirs = token && (token.provider === client.pk || token.terms.resource?.includes(client.client_id));
    // RFC 8693 §2.2.2: the code for a token that is not good, or not acceptable.
    if (!isTheirs) throw new OAuthError('invalid_request', 'The subject token is not good.');
    if (token.terms.jkt !== undefined && token.terms.jkt !== jkt) {
      throw new OAuthError(
        'invalid_dpop_proof',
        'The subject token is bound to a key that the request does not prove to hold.',
      );
    }
    const audience = params.all('audience');
    await checkAudience(needs, audience, params.all('resource'));
    // What a token is for it stays for, when it is traded by the client that it was given to.
    const authorized = token.provider === client.pk ? token.terms.resource : undefined;
    if (authorized && audience.length > 0) {
      throw new OAuthError('invalid_target', 'The token was authorized for other resources.');
    }
    const resource = audience.length > 0 ? audience : authorized;
    const scope = token.scope.filter((name) => name !== 'offline_access');
    const { acr, amr } = token.terms;
    return {
      user: token.user,
      scope: { most: new Set(scope), otherwise: scope },
      // Of the same authorization: when that is taken back, this goes with it.
      family: token.family,
      session: token.session,
      authTime: token.auth_time,
      terms: {
        ...(acr !== undefined && { acr }),
        ...(amr && { amr }),
        ...(resource && { resource }),
      },
      gives: { id: false, refresh: false },
      ...(token.expires !== null && { notAfter: token.expires }),
      says: { issued_token_type: accessTokenType },
      async consume(tx) {
        await lockFamily(call.db, tx, token.family);
        if (await findAccessToken(tx, needs.key, text, call.now)) return;
        throw new OAuthError('invalid_request', 'The subject token was taken back meanwhile.');
      },
    };
  },
};

/** RFC 8693 §2.1: an audience is another client of this server, by its id. */
async function checkAudience(
  needs: OAuthNeeds,
  audience: readonly string[],
  resource: readonly string[],
): Promise<void> {
  if (audience.length > 0 && resource.length > 0) {
    throw new OAuthError('invalid_target', 'The token is for an audience or for a resource, not for both.');
  }
  if (audience.length > mostAudiences) throw new OAuthError('invalid_target', 'Too many audiences are asked for.');
  for (const clientId of audience) {
    if (await loadClient(needs, { clientId })) continue;
    throw new OAuthError('invalid_target', 'The audience is no client of this server.');
  }
}
