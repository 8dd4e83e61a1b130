import { type ActiveToken, findAccessToken } from '../../active-token.ts';
import { OAuthError } from '../../oauth-error.ts';
import type { Redemption } from '../grant-kind.ts';

export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

const maxTokenLength = 16_384;

/** What a token is presented as (RFC 8693 §2.1): of whom the new one is to be, or who acts for them. */
export type Role = 'subject' | 'actor';

export interface PresentedToken extends ActiveToken {
  readonly role: Role;
  readonly text: string;
}

/** A live access token of this server that the client was given, or that is meant for it. */
export async function presentedToken(
  { needs, call, params, by: { client }, jkt }: Redemption,
  role: Role,
): Promise<PresentedToken> {
  const text = params.require(`${role}_token`);
  // An oversized token is an error, not a missing one: never fall back to another identity.
  if (text.length > maxTokenLength) throw new OAuthError('invalid_request', `${role}_token is too long.`);
  if (params.require(`${role}_token_type`) !== accessTokenType) {
    throw new OAuthError('invalid_request', 'Only access tokens of this server can be exchanged.');
  }
  // Looked up among access tokens only: an ID token or a refresh token is not found (token type confusion).
  const token = await findAccessToken(call.db.read, needs.key, text, call.now);
  const isTheirs = token && (token.provider === client.pk || token.terms.resource?.includes(client.client_id));
  if (!isTheirs) throw invalidToken(role);
  if (token.terms.jkt !== undefined && token.terms.jkt !== jkt) {
    throw new OAuthError(
      'invalid_dpop_proof',
      `The ${role} token is bound to a key that the DPoP proof does not match.`,
    );
  }
  return { ...token, role, text };
}

/** RFC 8693 §2.2.2: the error for an invalid or unacceptable token, without saying which. */
export const invalidToken = (role: Role): OAuthError =>
  new OAuthError('invalid_request', `The ${role} token is invalid or expired.`);
