import { cachedUserFacts, type UserFacts } from '../../../../../core/mapping/user-facts.ts';
import type { GrantTerms } from '../../grants.ts';
import { OAuthError } from '../../oauth-error.ts';
import { uniqueSubject } from '../../subject.ts';
import { issuerOf } from '../../urls.ts';
import type { Redemption } from '../grant-kind.ts';
import { invalidToken, type PresentedToken, presentedToken } from './presented-token.ts';

const maxActors = 5;

/** Who acts for the user of a token that is traded; nobody where all of it is missing. */
interface Delegation {
  readonly user?: UserFacts;
  /** What they prove it with, unless that was done when the subject token was got. */
  readonly token?: PresentedToken;
  readonly terms: Pick<GrantTerms, 'act' | 'actors'>;
}

/**
 * RFC 8693 §1.1: whoever proves by a token of their own that they act for the user. Who acted before stands below them, and
 * is not forgotten when the token is traded by the client alone.
 */
export async function delegationOf(redemption: Redemption, subject: PresentedToken): Promise<Delegation> {
  const { call, params } = redemption;
  if (params.get('actor_token') !== undefined) return delegationTo(redemption, subject);
  if (params.get('actor_token_type') !== undefined) {
    throw new OAuthError('invalid_request', 'There is no actor_token that actor_token_type could tell of.');
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
  // Whoever acts for somebody cannot put them forward as the one who acts: it would be forgotten who really does.
  if (token.terms.act) throw invalidToken('actor');
  if (earlier.length >= maxActors) {
    throw new OAuthError('invalid_request', 'Too many have acted for one another already.');
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
