import { MappingFailed } from '../../../core/mapping/evaluate.ts';
import type { UserFacts } from '../../../core/mapping/user-facts.ts';
import type { Json } from '../../../lib/json.ts';
import { addMilliseconds } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/db/database.ts';
import type { InstanceKey } from '../../../platform/keys.ts';
import { randomToken, randomUuid } from '../../../platform/random.ts';
import type { Call } from '../../../resource/call.ts';
import {
  type Claims,
  cachedScopeClaims,
  defaultAcr,
  idTokenClaims,
  lengthOf,
  type SourceTokens,
  seconds,
} from './claims.ts';
import type { Client } from './client.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { type GrantTerms, storeAccessToken, storeRefreshToken } from './grants.ts';
import { OAuthError } from './oauth-error.ts';
import { publishKey } from './published-keys.ts';
import { claimsBeyondScope, pick, scopesOfClaims } from './requested-claims.ts';
import { leftHalfHash, type SigningKey, signJwt } from './signing.ts';
import { checkSubjectOwner, uniqueSubject } from './subject.ts';
import { issuerOf } from './urls.ts';

/** What was granted, to be made into tokens. */
export interface Issuance {
  readonly client: Client;
  readonly user: UserFacts;
  readonly scope: readonly string[];
  readonly family: string;
  readonly session: string | null;
  /** When the user authenticated; null for clients' own accounts. */
  readonly authTime: string | null;
  readonly terms: GrantTerms;
  /** The subject issued to the client before; else computed now. */
  readonly subject?: string;
  readonly gives: { readonly access: boolean; readonly id: boolean; readonly refresh: boolean };
  /**
   * The scope and terms of the refresh token: all that was granted, even if this request asks for less (RFC 6749 §6).
   */
  readonly refreshes?: { readonly scope: readonly string[]; readonly terms: GrantTerms };
  /** The code that comes with them, for `c_hash`. */
  readonly code?: string;
  /** The upper limit for every token issued here. */
  readonly notAfter?: string;
}

export interface IssuedTokens {
  /** The members of RFC 6749 §5.1 that were requested. */
  readonly body: Readonly<Record<string, Json>>;
  store(tx: Query): Promise<void>;
}

type Dependencies = Pick<OAuthDependencies, 'key' | 'publicUrl' | 'installId' | 'sandbox' | 'signer' | 'refusals'>;

/**
 * Issues tokens. Only logout tokens are signed elsewhere. Tokens are not valid before
 * `store` has run in the transaction in which the grant is used up.
 */
export async function prepareTokens(needs: Dependencies, call: Call, issuance: Issuance): Promise<IssuedTokens> {
  const { client, gives, scope, terms, family } = issuance;
  const { now } = call;
  const signingKey = needs.signer.keyOf(client);
  const expires = earlier(addMilliseconds(now, lengthOf(client.access_token_validity)), issuance.notAfter);
  const current = await uniqueSubject(needs, call, client, issuance.user);
  const subject = issuance.subject ?? current;
  if (subject !== current) await checkSubjectOwner(needs, call, issuance.user, subject);
  const id = await idClaimsOf(needs, call, issuance, subject, expires);
  const accessToken = gives.access
    ? await signJwt(signingKey, 'at+jwt', accessClaimsOf(needs, issuance, subject, now, expires))
    : null;
  const idClaims = gives.id ? withHashes(id, signingKey, accessToken, issuance.code) : id;
  const idToken = gives.id ? await signJwt(signingKey, 'JWT', idClaims) : null;
  const refreshToken = gives.refresh ? randomToken() : null;

  const grant = {
    provider: client.pk,
    user: issuance.user.pk,
    now,
    authTime: issuance.authTime ?? now,
    family,
    idToken: idClaims,
  };
  return {
    body: {
      ...(accessToken !== null && {
        access_token: accessToken,
        token_type: terms.jkt === undefined ? 'Bearer' : 'DPoP',
        expires_in: seconds(expires) - seconds(now),
        ...(scope.length > 0 && { scope: scope.join(' ') }),
      }),
      ...(idToken !== null && { id_token: idToken }),
      ...(refreshToken !== null && { refresh_token: refreshToken }),
    },
    async store(tx) {
      if (accessToken !== null || idToken !== null) await publishKey(call.db, tx, client, signingKey, expires);
      if (accessToken !== null) {
        const { session } = issuance;
        await storeAccessToken(tx, needs.key, { ...grant, session, scope, terms, token: accessToken, expires });
      }
      if (refreshToken === null) return;
      const whole = issuance.refreshes ?? { scope, terms };
      // RFC 9449 §5: what a client keeps that can prove itself is not tied to a key, which it may change.
      const { jkt: _, ...unbound } = whole.terms;
      const jkt = client.client_type === 'public' ? terms.jkt : undefined;
      await storeRefreshToken(tx, needs.key, {
        ...grant,
        // OpenID Connect Core §11: offline access is access while the person is not there.
        session: whole.scope.includes('offline_access') ? null : issuance.session,
        scope: whole.scope,
        terms: { ...unbound, ...(jkt !== undefined && { jkt }) },
        token: refreshToken,
        expires: addMilliseconds(now, lengthOf(client.refresh_token_validity)),
      });
    },
  };
}

/** Whose claims a client gets, by which scopes. */
type Granted = Pick<Issuance, 'client' | 'user' | 'scope'>;

/** The claims of a grant's scopes. If a mapping fails, no tokens are issued and an event records why. */
export async function claimsOfScope(
  { sandbox }: Pick<Dependencies, 'sandbox'>,
  call: Call,
  { client, user, scope }: Granted,
  sourceTokens: SourceTokens = {},
): Promise<Claims> {
  try {
    return cachedScopeClaims(sandbox, client, user, scope, sourceTokens);
  } catch (error) {
    if (!(error instanceof MappingFailed)) throw error;
    await call.db.write((tx) => call.world.record(tx, call, error.event()));
    throw new OAuthError('server_error', 'A scope mapping of the provider failed.', { cause: error });
  }
}

/**
 * The standard claims in a part of the `claims` parameter that the scope does not include (OpenID Connect Core §5.5):
 * the person has agreed to each of them by itself.
 */
export async function claimsAskedFor(
  needs: Pick<Dependencies, 'sandbox'>,
  call: Call,
  granted: Granted,
  asked: unknown,
): Promise<Claims> {
  const names = claimsBeyondScope(asked, granted.scope);
  if (names.length === 0) return {};
  const claims = await claimsOfScope(needs, call, { ...granted, scope: scopesOfClaims(names) });
  return Object.fromEntries(Object.entries(claims).filter(([name]) => names.includes(name)));
}

async function idClaimsOf(
  needs: Dependencies,
  call: Call,
  issuance: Issuance,
  subject: string,
  expires: string,
): Promise<Claims> {
  const { client, terms, authTime, gives, code } = issuance;
  const claims = await claimsOfScope(needs, call, issuance);
  const { publicUrl } = needs;
  // OpenID Connect Core §5.4: without an access token, the ID token is the only place for them.
  const isOnlyToken = !gives.access && code === undefined;
  const settings = isOnlyToken ? { ...client, include_claims_in_id_token: true } : client;
  const { acr, amr, nonce, sid } = terms;
  const own = idTokenClaims({ settings, subject, claims, publicUrl, now: call.now, expires, authTime, acr });
  own.azp = client.client_id;
  if (amr) own.amr = [...amr];
  if (nonce !== undefined) own.nonce = nonce;
  if (sid !== undefined) own.sid = sid;
  // Claims requested by name are included even if all others are only in the userinfo response.
  const asked = terms.claims?.id_token;
  if (asked === undefined) return own;
  return { ...pick(claims, asked), ...(await claimsAskedFor(needs, call, issuance, asked)), ...own };
}

function withHashes(claims: Claims, { alg }: SigningKey, accessToken: string | null, code: string | undefined): Claims {
  return {
    ...claims,
    ...(accessToken !== null && { at_hash: leftHalfHash(alg, accessToken) }),
    ...(code !== undefined && { c_hash: leftHalfHash(alg, code) }),
  };
}

/** RFC 9068 §2.2 */
function accessClaimsOf(
  { publicUrl }: Dependencies,
  { client, scope, terms, authTime }: Issuance,
  subject: string,
  now: string,
  expires: string,
): Claims {
  return {
    iss: issuerOf(publicUrl, client.assigned_application_slug, client.issuer_mode),
    sub: subject,
    aud: audienceOf(client, terms),
    exp: seconds(expires),
    iat: seconds(now),
    jti: randomUuid(),
    client_id: client.client_id,
    scope: scope.join(' '),
    acr: terms.acr ?? defaultAcr,
    ...(authTime !== null && { auth_time: seconds(authTime) }),
    ...(terms.amr && { amr: [...terms.amr] }),
    ...(terms.jkt !== undefined && { cnf: { jkt: terms.jkt } }),
    ...(terms.act && { act: terms.act }),
  };
}

export function audienceOf({ client_id }: Pick<Client, 'client_id'>, { resource = [] }: GrantTerms): string | string[] {
  if (resource.length === 0) return client_id;
  return resource.length === 1 ? (resource[0] ?? '') : [...resource];
}

/** The `sid` of a session for a client; does not reveal the session. */
export const sessionIdClaim = (key: Pick<InstanceKey, 'sign'>, session: string): string =>
  key.sign('oauth2 session id', session);

const earlier = (one: string, other: string | undefined): string => (other !== undefined && other < one ? other : one);
