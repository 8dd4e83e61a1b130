import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose';
import { fromTimestamp } from '../../../platform/clock.ts';
import { isKeySet, type RemoteKeys } from '../../../platform/fetch/remote-keys.ts';
import { misconfigured, SourceRefusal } from '../../../source/source-refusal.ts';
import { isIssuedBy } from './discovery.ts';
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

/** What a service has signed. */
export interface SignedDocument {
  readonly jwt: string;
  /** What it is, for complaints. */
  readonly what: 'ID token' | 'profile' | 'logout token';
  readonly options: JWTVerifyOptions;
  readonly now: string;
}

/**
 * Verifies what a service has signed with one of its keys, and that it is the issuer if the document names one. Throws
 * `SourceRefusal`.
 */
export async function verifyJwt(
  remoteKeys: RemoteKeys,
  source: OAuthSource,
  endpoints: Endpoints,
  { jwt, what, options, now }: SignedDocument,
): Promise<{ readonly claims: JWTPayload; readonly header: ProtectedHeaderParameters }> {
  const published = what === 'ID token' ? endpoints.discovered?.algorithms : undefined;
  const wrong = (why: string) => notVerified(source, what, why);
  const header = headerOf(jwt);
  if (!header) throw wrong('it cannot be read');
  const keys = await keysFor(remoteKeys, source, endpoints, header.kid, now);
  try {
    const { payload } = await jwtVerify(jwt, createLocalJWKSet(JSON.parse(keys)), {
      algorithms: published ? algorithms.filter((one) => published.includes(one)) : algorithms,
      clockTolerance: toleranceSeconds,
      currentDate: fromTimestamp(now),
      ...options,
    });
    if (payload.iss !== undefined && !isOfService(endpoints, payload)) throw wrong('another issuer made it');
    return { claims: payload, header };
  } catch (error) {
    if (error instanceof errors.JWTExpired) {
      throw wrong(error.claim === 'iat' ? 'it is too old' : 'it has expired');
    }
    if (error instanceof errors.JWTClaimValidationFailed) throw wrong(`its claim ${error.claim} is wrong`);
    if (error instanceof errors.JOSEError || error instanceof TypeError) {
      throw wrong('its signature is wrong or its key is unknown');
    }
    throw error;
  }
}

function headerOf(jwt: string): ProtectedHeaderParameters | null {
  try {
    return decodeProtectedHeader(jwt);
  } catch {
    return null;
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

/** Without discovery, the issuer of the tokens is used. */
const isOfService = ({ discovered, token }: Endpoints, payload: JWTPayload): boolean =>
  discovered
    ? isIssuedBy(discovered, payload)
    : typeof payload.iss === 'string' && URL.parse(payload.iss)?.origin === new URL(token).origin;

export const notVerified = ({ name }: OAuthSource, what: SignedDocument['what'], why: string): SourceRefusal =>
  new SourceRefusal(`The ${what} of ${name} could not be verified: ${why}.`);
