import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import { equalInConstantTime } from '../../../lib/constant-time.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import { fromTimestamp } from '../../../platform/clock.ts';
import { isKeySet, type RemoteKeys } from '../../../platform/fetch/remote-keys.ts';
import { misconfigured, SourceRefusal } from '../../../source/source-refusal.ts';
import type { Endpoints } from './endpoints.ts';
import type { OAuthSource } from './oauth-model.ts';

/** Signatures with a key pair only: a secret that both sides have proves nothing, and `none` even less. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const toleranceSeconds = 60;

interface Expected {
  readonly clientId: string;
  readonly nonce: string;
  readonly now: string;
}

/** The claims of an ID token (OpenID Connect Core §3.1.3.7). Throws `SourceRefusal`. */
export async function verifyIdToken(
  remoteKeys: RemoteKeys,
  source: OAuthSource,
  endpoints: Endpoints,
  idToken: string | null,
  { clientId, nonce, now }: Expected,
): Promise<JsonObject> {
  if (idToken === null) throw notVerified(source, 'it sent none');
  const published = endpoints.discovered?.algorithms;
  const options: JWTVerifyOptions = {
    audience: clientId,
    algorithms: published ? algorithms.filter((one) => published.includes(one)) : algorithms,
    clockTolerance: toleranceSeconds,
    currentDate: fromTimestamp(now),
    requiredClaims: ['exp', 'iat', 'iss', 'sub'],
  };
  const kid = keyIdOf(source, idToken);
  const claims = await verify(source, idToken, await keysFor(remoteKeys, source, endpoints, kid, now), options);
  if (!isIssuedBy(endpoints, claims)) throw notVerified(source, 'another issuer made it');
  if (typeof claims.nonce !== 'string' || !equalInConstantTime(claims.nonce, nonce)) {
    throw notVerified(source, 'it was made for another sign-in');
  }
  const isOurs =
    claims.azp === undefined ? !Array.isArray(claims.aud) || claims.aud.length === 1 : claims.azp === clientId;
  if (!isOurs) throw notVerified(source, 'it was made for another client');
  return asObject(claims);
}

async function verify(
  source: OAuthSource,
  idToken: string,
  keys: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(idToken, createLocalJWKSet(JSON.parse(keys)), options)).payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw notVerified(source, 'it has expired');
    if (error instanceof errors.JWTClaimValidationFailed)
      throw notVerified(source, `its claim ${error.claim} is wrong`);
    throw notVerified(source, 'its signature is wrong or its key is unknown');
  }
}

function keyIdOf(source: OAuthSource, idToken: string): string | undefined {
  try {
    return decodeProtectedHeader(idToken).kid;
  } catch {
    throw notVerified(source, 'it cannot be read');
  }
}

/** Keys that were set by hand count alone. Else those stored, unless one is asked for that they lack. */
async function keysFor(
  remoteKeys: RemoteKeys,
  { oidc_jwks, name }: OAuthSource,
  { discovered, jwks }: Endpoints,
  kid: string | undefined,
  now: string,
): Promise<string> {
  if (isKeySet(oidc_jwks)) return JSON.stringify(oidc_jwks);
  const stored = isKeySet(discovered?.jwks) ? JSON.stringify(discovered?.jwks) : null;
  if (stored !== null && kid !== undefined && stored.includes(JSON.stringify(kid))) return stored;
  const keys = (jwks === null ? null : await remoteKeys(jwks, now, kid)) ?? stored;
  if (keys !== null) return keys;
  if (jwks === null) throw misconfigured('Its keys are not known: it needs a JWKS URL or keys.');
  throw new SourceRefusal(`The keys of ${name} cannot be fetched at the moment. Please try again.`);
}

/** A provider for many tenants publishes a template for its issuers. Without discovery, it is whoever gives out the tokens. */
function isIssuedBy({ discovered, token }: Endpoints, { iss, tid }: JWTPayload): boolean {
  if (!discovered) return typeof iss === 'string' && URL.parse(iss)?.origin === new URL(token).origin;
  const { issuer } = discovered;
  if (!issuer.includes('{tenantid}')) return iss === issuer;
  return typeof tid === 'string' && /^[\da-f-]{36}$/i.test(tid) && iss === issuer.replace('{tenantid}', tid);
}

const notVerified = ({ name }: OAuthSource, why: string): SourceRefusal =>
  new SourceRefusal(`The ID token of ${name} could not be verified: ${why}.`);
