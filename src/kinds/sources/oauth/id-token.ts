import { hash } from 'node:crypto';
import { equalInConstantTime } from '../../../lib/constant-time.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import type { RemoteKeys } from '../../../platform/fetch/remote-keys.ts';
import type { Endpoints } from './endpoints.ts';
import type { OAuthSource } from './oauth-model.ts';
import { notVerified, verifyJwt } from './verify-jwt.ts';

/** They are requested for one sign-in, and used at once. */
const maxAge = '10 minutes';

interface Expected {
  readonly clientId: string;
  readonly nonce: string;
  readonly accessToken: string;
  readonly now: string;
}

/** The claims of an ID token (OpenID Connect Core §3.1.3.7). Throws `SourceRefusal`. */
export async function verifyIdToken(
  remoteKeys: RemoteKeys,
  source: OAuthSource,
  endpoints: Endpoints,
  idToken: string | null,
  { clientId, nonce, accessToken, now }: Expected,
): Promise<JsonObject> {
  const wrong = (why: string) => notVerified(source, 'ID token', why);
  if (idToken === null) throw wrong('it sent none');
  const { claims, header } = await verifyJwt(remoteKeys, source, endpoints, {
    jwt: idToken,
    what: 'ID token',
    options: { audience: clientId, maxTokenAge: maxAge, requiredClaims: ['exp', 'iat', 'iss', 'sub'] },
    now,
  });
  const { sub, at_hash, azp, aud } = claims;
  if (typeof sub !== 'string') throw wrong('its claim sub is not a text');
  if (typeof claims.nonce !== 'string' || !equalInConstantTime(claims.nonce, nonce)) {
    throw wrong('it was made for another sign-in');
  }
  const isOurs = azp === undefined ? !Array.isArray(aud) || aud.length === 1 : azp === clientId;
  if (!isOurs) throw wrong('it was made for another client');
  if (at_hash !== undefined && at_hash !== hashOfToken(header.alg, accessToken)) {
    throw wrong('it was made for another access token (at_hash)');
  }
  return asObject(claims);
}

/** OpenID Connect Core §3.1.3.6: the left half of the digest that belongs to the algorithm. */
function hashOfToken(alg: string | undefined, accessToken: string): string {
  const bits = /\d{3}$/.exec(alg ?? '')?.[0];
  // Ed25519 signs by SHA-512.
  const digest = hash(bits === '256' || bits === '384' ? `sha${bits}` : 'sha512', accessToken, 'buffer');
  return digest.subarray(0, digest.length / 2).toString('base64url');
}
