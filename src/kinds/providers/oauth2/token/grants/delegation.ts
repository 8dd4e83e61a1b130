import { cachedUserFacts, type UserFacts } from '../../../../../core/mapping/user-facts.ts';
import type { GrantTerms } from '../../grants.ts';
import { OAuthError } from '../../oauth-error.ts';
import { uniqueSubject } from '../../subject.ts';
import { issuerOf } from '../../urls.ts';
import type { Redemption } from '../grant-kind.ts';
import { invalidToken, type PresentedToken, presentedToken } from './presented-token.ts';

const maxActors = 5;

/** The actor of a token exchange; null without an actor token. */
interface Delegation {
  readonly user?: UserFacts;
  /** What they prove it with, unless that was done when the subject token was got. */
  readonly token?: PresentedToken;
  readonly terms: Pick<GrantTerms, 'act' | 'actors'>;
}

/**
 * RFC 8693 §1.1: the actor authenticates with an actor token. Earlier actors are nested below, and
 * is not forgotten when the token is traded by the client alone.
 */
export async function delegationOf(redemption: Redemption, subject: PresentedToken): Promise<Delegation> {
  const { call, params } = redemption;
  if (params.get('actor_token') !== undefined) return delegationTo(redemption, subject);
  if (params.get('actor_token_type') !== undefined) {
    throw new OAuthError('invalid_request', 'actor_token_type requires an actor_token.');
  }
  const { act, actors } = subject.terms;
  const [acting] = actors ?? [];
  if (!act || !actors || !acting) return { terms: {} };
  const user = await cachedUserFacts(call, acting.user);
  if (!user?.is_active) throw invalidToken('subject');
  return { user, terms: { act, actors } };
}

async function delegationTo(redemption: Redemption, subject: PresentedToken): Promise<Delegation> {
  const { needs, call, by } = redemption;
  const { client } = by;
  const token = await presentedToken(redemption, 'actor');
  const { act: before, actors: earlier = [] } = subject.terms;
  // The subject cannot be the actor: that would hide who really acts.
  if (token.terms.act) throw invalidToken('actor');
  if (earlier.length >= maxActors) {
    throw new OAuthError('invalid_request', 'The delegation chain is too long.');
  }
  const user = await cachedUserFacts(call, token.user);
  if (!user?.is_active) throw invalidToken('actor');
  const act = {
    sub: await uniqueSubject(needs, call, client, user),
    iss: issuerOf(needs.publicUrl, client.assigned_application_slug, client.issuer_mode),
    client_id: String(token.claims.aud),
    ...(before && { act: before }),
  };
  return { user, token, terms: { act, actors: [{ token: token.pk, user: user.pk }, ...earlier] } };
}
