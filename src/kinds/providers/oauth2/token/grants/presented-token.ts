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
  // Refused as it stands: whoever sends it means this token and nothing else that might be found in its place.
  if (text.length > maxTokenLength) throw new OAuthError('invalid_request', `${role}_token is too long.`);
  if (params.require(`${role}_token_type`) !== accessTokenType) {
    throw new OAuthError('invalid_request', 'Only access tokens of this server can be exchanged.');
  }
  // What is stored as an access token is one. An ID token or a refresh token is not found, whatever it is called.
  const token = await findAccessToken(call.db.read, needs.key, text, call.now);
  const isTheirs = token && (token.provider === client.pk || token.terms.resource?.includes(client.client_id));
  if (!isTheirs) throw invalidToken(role);
  if (token.terms.jkt !== undefined && token.terms.jkt !== jkt) {
    throw new OAuthError(
      'invalid_dpop_proof',
      `The ${role} token is bound to a key that the request does not prove to hold.`,
    );
  }
  return { ...token, role, text };
}

/** RFC 8693 §2.2.2: the code for a token that is not good, or not acceptable. Nobody is told which. */
export const invalidToken = (role: Role): OAuthError =>
  new OAuthError('invalid_request', `The ${role} token is not good.`);
