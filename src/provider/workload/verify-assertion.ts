import { toTimestamp } from '../../platform/clock.ts';
import type { TrustedKeys } from './trusted-keys.ts';

/** Asymmetric algorithms only: verifiers must not be able to sign. */
export const standardAlgorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

/** What a verified JWT says. */
export interface VerifiedAssertion {
  readonly source: string | null;
  readonly iss: string | undefined;
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly jti: string | undefined;
  readonly iat: number;
  /** When it is no longer accepted. */
  readonly expires: string;
}

export interface AssertionTerms {
  readonly audience: string[];
  readonly algorithms: string[];
  /** The client that may have signed it itself, with a key that its source publishes. */
  readonly self?: string;
}

/** Assertions with a longer lifetime are rejected, to bound how long their ids are stored for replay protection. */
const maxLifetimeMs = 24 * 3_600_000;
const maxLength = 16_384;
const skewSeconds = 30;

/** Checks a JWT by the first of these keys that it was signed with (RFC 7523 §3). Null when it proves nothing. */
export async function verifyAssertion(
  trusted: readonly TrustedKeys[],
  assertion: string,
  { self, ...options }: AssertionTerms,
  now: string,
): Promise<VerifiedAssertion | null> {
  if (assertion.length > maxLength) return null;
  const { createLocalJWKSet, errors, jwtVerify } = await import('jose');
  for (const { source, jwks, isForeign } of trusted) {
    try {
      const { payload } = await jwtVerify(assertion, createLocalJWKSet(JSON.parse(jwks)), {
        ...options,
        currentDate: new Date(now),
        clockTolerance: skewSeconds,
        requiredClaims: ['exp', 'sub'],
      });
      const { iss, sub = '', aud = [], jti, iat = 0, exp = 0 } = payload;
      const isSelf = iss === self && sub === self;
      const until = (exp + skewSeconds) * 1000;
      if (sub === '' || (!isSelf && isForeign(payload)) || until > Date.parse(now) + maxLifetimeMs) continue;
      return { source, iss, sub, aud, jti, iat, expires: toTimestamp(until) };
    } catch (error) {
      // Not signed by these keys, or invalid. Try the next key set.
      if (!(error instanceof errors.JOSEError) && !(error instanceof TypeError)) throw error;
    }
  }
  return null;
}

/** Identifies a workload: sources name theirs independently of each other. */
export interface Workload {
  readonly subject: string;
  /** For the username of its account. */
  readonly name: string;
}

export const workloadOf = ({ source, iss, sub }: VerifiedAssertion): Workload => ({
  subject: JSON.stringify([source, iss ?? '', sub]),
  name: sub.replace(/[^\w.@:+/-]+/g, '-').slice(0, 60),
});
