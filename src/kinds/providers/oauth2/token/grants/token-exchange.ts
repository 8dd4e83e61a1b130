import { findAccessToken } from '../../active-token.ts';
import { apiScope } from '../../api-scope.ts';
import type { Client } from '../../client.ts';
import { requireConfidential } from '../../client-authentication.ts';
import { tokenExchangeGrant } from '../../grant-types.ts';
import { lockFamily } from '../../grants.ts';
import { OAuthError } from '../../oauth-error.ts';
import type { GrantKind } from '../grant-kind.ts';
import { delegationOf } from './delegation.ts';
import { accessTokenType, presentedToken } from './presented-token.ts';

const maxAudiences = 10;

/**
 * RFC 8693: a client exchanges an access token that was issued to it, or that is meant for it, for one of its own:
 * about the same user, with no more scope and no later expiry. With an actor token, the new one contains an `act`
 * claim.
 */
export const tokenExchange: GrantKind = {
  grantType: tokenExchangeGrant,
  isAuthorization: true,
  deniedAs: 'invalid_request',
  async redeem(redemption) {
    const { needs, call, params, by } = redemption;
    requireConfidential(by);
    if ((params.get('requested_token_type') ?? accessTokenType) !== accessTokenType) {
      throw new OAuthError('invalid_request', 'requested_token_type must be an access token.');
    }
    const subject = await presentedToken(redemption, 'subject');
    const { user: actor, token: actorToken, terms: delegated } = await delegationOf(redemption, subject);
    const isOwn = subject.provider === by.client.pk;
    const presented = actorToken ? [subject, actorToken] : [subject];
    const audience = params.all('audience');
    checkAudience(audience, params.all('resource'), by.client);
    // What a token is for it stays for, when it is traded by the client that it was given to.
    const authorized = isOwn ? subject.terms.resource : undefined;
    if (authorized && audience.length > 0) {
      throw new OAuthError('invalid_target', 'The token was issued for other resources.');
    }
    const resource = audience.length > 0 ? audience : authorized;
    // The API scope requires the user's consent for this client.
    const scope = subject.scope.filter((name) => name !== 'offline_access' && (isOwn || name !== apiScope));
    const { acr, amr } = subject.terms;
    const [notAfter] = presented.flatMap(({ expires }) => expires ?? []).sort();
    return {
      user: subject.user,
      actor,
      scope: { allowed: new Set(scope), default: scope },
      // Same authorization: revoking that revokes this token, too.
      family: subject.family,
      session: subject.session,
      authTime: subject.auth_time,
      terms: {
        ...(acr !== undefined && { acr }),
        ...(amr && { amr }),
        ...(resource && { resource }),
        ...delegated,
      },
      gives: { id: false, refresh: false },
      ...(notAfter !== undefined && { notAfter }),
      says: { issued_token_type: accessTokenType },
      async consume(tx) {
        // The actor's token need not be locked: its revocation is checked whenever the new token is used.
        await lockFamily(call.db, tx, subject.family);
        for (const { role, text } of presented) {
          if (await findAccessToken(tx, needs.key, text, call.now)) continue;
          throw new OAuthError('invalid_request', `The ${role} token was revoked.`);
        }
      },
    };
  },
};

/** RFC 8693 §2.1: an audience is another client of this server, by its id, whose provider lists this client. */
function checkAudience(
  audience: readonly string[],
  resource: readonly string[],
  { client_id, targets }: Pick<Client, 'client_id' | 'targets'>,
): void {
  if (audience.length > 0 && resource.length > 0) {
    throw new OAuthError('invalid_target', 'audience and resource cannot be combined.');
  }
  if (audience.length > maxAudiences) throw new OAuthError('invalid_target', 'Too many audiences were requested.');
  if (audience.every((clientId) => clientId === client_id || targets.includes(clientId))) return;
  throw new OAuthError(
    'invalid_target',
    'The audience is not a client of this server, or its provider does not list this client in audience_clients.',
  );
}
