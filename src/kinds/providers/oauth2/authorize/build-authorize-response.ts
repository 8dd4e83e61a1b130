import { cachedUserFacts, type UserFacts } from '../../../../core/mapping/user-facts.ts';
import { addMilliseconds } from '../../../../platform/clock.ts';
import type { Query } from '../../../../platform/db/database.ts';
import { orderedUuid, randomToken } from '../../../../platform/random.ts';
import { consumeTicket, type Ticket } from '../../../../provider/authorize/tickets.ts';
import { type SignIn, signInOfSession } from '../../../../provider/sign-in-of-session.ts';
import { type Call, requireActor } from '../../../../resource/call.ts';
import { lengthOf } from '../claims.ts';
import type { Client } from '../client.ts';
import { authorizedEvent } from '../events.ts';
import { type GrantTerms, storeAuthorizationCode } from '../grants.ts';
import { prepareTokens, sessionIdClaim } from '../issue.ts';
import { storeLogin } from '../logout/logins.ts';
import { OAuthError } from '../oauth-error.ts';
import { words } from '../params.ts';
import { markUsed } from '../replay-protection.ts';
import { consumeRequest } from '../requests.ts';
import { uniqueSubject } from '../subject.ts';
import { type AuthorizeRequest, responseTypes } from './authorize-request.ts';
import type { AuthorizeDependencies } from './dependencies.ts';

interface Answered {
  readonly request: AuthorizeRequest;
  /** Single use. */
  readonly ticket: Ticket;
}

interface Allowed extends Answered {
  readonly client: Client;
}

/** The response to an allowed request: a code, tokens, or both. Issued while the request is consumed. */
export async function buildAuthorizeResponse(
  needs: AuthorizeDependencies,
  call: Call,
  { client, request, ticket }: Allowed,
): Promise<Record<string, string>> {
  const { user: actor, session } = requireActor(call);
  const user = await cachedUserFacts(call, actor.pk);
  const signIn = await signInOfSession(call.db.read, session);
  if (!user?.is_active || session === null || signIn === null) {
    throw new OAuthError('access_denied', 'The user is no longer signed in.');
  }
  const { scope } = request;
  const subject = await uniqueSubject(needs, call, client, user);
  const gives = words(request.response_type);
  const code = gives.includes('code') ? randomToken() : null;
  const family = orderedUuid();
  const terms = termsOf(needs, request, session, signIn);
  const grant = { family, session, authTime: signIn.at, scope, terms };
  const tokens = await tokensBeside(needs, call, client, user, { ...grant, gives, code });
  await call.db.write(async (tx) => {
    if (!(await useUp(tx, needs, call, { request, ticket }))) {
      throw new OAuthError('invalid_request_uri', 'request_uri was already used.');
    }
    await storeLogin(tx, { session, provider: client.pk, subject, sid: terms.sid ?? '' }, call.now);
    await tokens?.store(tx);
    if (code !== null) {
      await storeAuthorizationCode(tx, needs.key, {
        ...grant,
        provider: client.pk,
        user: user.pk,
        now: call.now,
        expires: addMilliseconds(call.now, lengthOf(client.access_code_validity)),
        code,
        redirectUri: request.redirect_uri,
        nonce: request.nonce,
        codeChallenge: request.code_challenge,
        codeChallengeMethod: request.code_challenge_method,
      });
    }
    const grantType = responseTypes[request.response_type] ?? 'authorization_code';
    await call.world.record(tx, call, authorizedEvent(client, { scope, grantType, flow: ticket.flow }));
  });
  const members = Object.entries({ ...(code !== null && { code }), ...tokens?.body });
  return Object.fromEntries(members.map(([name, value]) => [name, String(value)]));
}

/** RFC 6749 §4.1.2.1: the client is notified once. It cannot tell whether the user or the server denied the request. */
export async function denyRequest(needs: AuthorizeDependencies, call: Call, answered: Answered): Promise<never> {
  await call.db.write((tx) => useUp(tx, needs, call, answered));
  throw new OAuthError('access_denied', 'The user or the authorization server denied the request.');
}

/** Longer than the lifetime of a pushed request and the login together. */
const markLifetimeMs = 24 * 3_600_000;

/**
 * False if the pushed request was used before (RFC 9126 §7.3, replay). It may have expired by now, since the user took
 * their time: so its use is recorded separately.
 */
async function useUp(
  tx: Query,
  { key }: AuthorizeDependencies,
  { now }: Call,
  { request: { pushed }, ticket }: Answered,
): Promise<boolean> {
  if (!(await consumeTicket(tx, ticket))) throw new OAuthError('access_denied', 'The request was already completed.');
  if (pushed === null) return true;
  await consumeRequest(tx, pushed);
  return markUsed(tx, key, { use: 'pushed request', id: pushed, expires: addMilliseconds(now, markLifetimeMs) });
}

type Beside = { readonly gives: readonly string[]; readonly code: string | null } & {
  readonly family: string;
  readonly session: string;
  readonly authTime: string;
  readonly scope: readonly string[];
  readonly terms: GrantTerms;
};

/** Tokens in the front channel (implicit and hybrid); never a refresh token. */
async function tokensBeside(
  needs: AuthorizeDependencies,
  call: Call,
  client: Client,
  user: UserFacts,
  { gives, code, ...grant }: Beside,
) {
  const access = gives.includes('token');
  const id = gives.includes('id_token');
  if (!access && !id) return null;
  return prepareTokens(needs, call, {
    ...grant,
    client,
    user,
    gives: { access, id, refresh: false },
    ...(code !== null && { code }),
  });
}

function termsOf(
  { key }: AuthorizeDependencies,
  request: AuthorizeRequest,
  session: string,
  signIn: SignIn,
): GrantTerms {
  const { nonce, claims, resource, dpop_jkt } = request;
  return {
    sid: sessionIdClaim(key, session),
    ...(signIn.amr.length > 0 && { amr: [...signIn.amr] }),
    ...(nonce !== '' && { nonce }),
    ...(claims && { claims }),
    ...(resource.length > 0 && { resource }),
    ...(dpop_jkt !== null && { jkt: dpop_jkt }),
  };
}
