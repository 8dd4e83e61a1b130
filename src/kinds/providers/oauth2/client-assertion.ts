import { asText } from '../../../lib/json.ts';
import { addMilliseconds, toTimestamp } from '../../../platform/clock.ts';
import type { Call } from '../../../resource/call.ts';
import { seconds } from './claims.ts';
import type { Client } from './client.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { markUsed } from './replay-protection.ts';
import { algorithmsOf, isFapi2 } from './security-profile.ts';
import { loadTrustedKeys, type TrustedKeys } from './trusted-keys.ts';
import { setupUrls, tokenPath } from './urls.ts';

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export interface Assertion {
  /** Null: the client itself. Else one of the workloads that its JWKS sources vouch for. */
  readonly workload: string | null;
}

/** Assertions with a longer lifetime are rejected, to bound how long their ids are stored for replay protection. */
const maxLifetimeMs = 24 * 3_600_000;
const maxAssertionLength = 16_384;
const skewSeconds = 30;
const maxClockSkewSeconds = 60;

/**
 * Checks a JWT by the keys of the client and of its JWKS sources (RFC 7523 §3). With the client's own id as issuer and
 * subject it is `private_key_jwt`; any other subject is a workload. Null when it proves nothing.
 */
export async function checkAssertion(
  needs: Pick<OAuthDependencies, 'db' | 'key' | 'publicUrl' | 'remoteKeys' | 'keySets'>,
  call: Call,
  client: Client,
  assertion: string,
): Promise<Assertion | null> {
  if (assertion.length > maxAssertionLength) return null;
  const { db, key, publicUrl } = needs;
  const trusted = await loadTrustedKeys(needs, client, assertion, call.now);
  const servers = serverNames(publicUrl, client);
  const algorithms = algorithmsOf(client);
  // Platforms name the client that a workload's token is for; a client itself addresses the server.
  const proven = await firstThatVerifies(
    trusted,
    assertion,
    { audience: [...servers, client.client_id], algorithms },
    call.now,
  );
  if (!proven) return null;
  const { iss, sub, aud, jti, iat, exp, source } = proven;
  const expires = toTimestamp((exp + skewSeconds) * 1000);
  if (expires > addMilliseconds(call.now, maxLifetimeMs)) return null;
  const isClient = iss === client.client_id && sub === client.client_id;
  // RFC 7523 §3, OpenID Connect Core §9: the `jti` limits it to one request (replay). Workloads get theirs from
  // platforms that return the same assertion until it expires, mostly without a `jti`.
  if (isClient && (jti === undefined || ![aud].flat().some((name) => servers.includes(name)))) return null;
  // FAPI 2.0 Security Profile §5.3.2.1: meant for the issuer alone, as one string, and not made in the future.
  if (isFapi2(client) && (aud !== servers[0] || iat > seconds(call.now) + maxClockSkewSeconds)) return null;
  if (isClient) {
    const use = { use: `assertion of ${client.pk}`, id: asText(jti), expires };
    if (!(await db.write((tx) => markUsed(tx, key, use)))) return null;
  }
  // A client's own keys authenticate that client only.
  if (!isClient && source === null) return null;
  return { workload: isClient ? null : JSON.stringify([source, iss ?? '', sub]) };
}

/** Accepted audiences: all identifiers of this server, the issuer first. */
function serverNames(publicUrl: string, { assigned_application_slug, issuer_mode }: Client): string[] {
  const { issuer = '', token = '' } = setupUrls(publicUrl, assigned_application_slug, issuer_mode);
  return [issuer, token, `${publicUrl}${tokenPath}`, `${publicUrl}/`, publicUrl];
}

interface Proven {
  readonly source: string | null;
  readonly iss: string | undefined;
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly jti: string | undefined;
  readonly iat: number;
  readonly exp: number;
}

async function firstThatVerifies(
  trusted: readonly TrustedKeys[],
  assertion: string,
  options: { readonly audience: string[]; readonly algorithms: string[] },
  now: string,
): Promise<Proven | null> {
  const { createLocalJWKSet, errors, jwtVerify } = await import('jose');
  for (const { source, jwks } of trusted) {
    try {
      const { payload } = await jwtVerify(assertion, createLocalJWKSet(JSON.parse(jwks)), {
        ...options,
        currentDate: new Date(now),
        clockTolerance: skewSeconds,
        requiredClaims: ['exp', 'sub'],
      });
      const { iss, sub = '', aud = [], jti, iat = 0, exp = 0 } = payload;
      if (sub !== '') return { source, iss, sub, aud, jti, iat, exp };
    } catch (error) {
      // Not signed by these keys, or invalid. Try the next key set.
      if (!(error instanceof errors.JOSEError) && !(error instanceof TypeError)) throw error;
    }
  }
  return null;
}
