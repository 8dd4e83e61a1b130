import { asText } from '../../../lib/json.ts';
import { verifyAssertion, type Workload, workloadOf } from '../../../provider/workload/verify-assertion.ts';
import type { Call } from '../../../resource/call.ts';
import { seconds } from './claims.ts';
import type { Client } from './client.ts';
import type { OAuthDependencies } from './dependencies.ts';
import { markUsed } from './replay-protection.ts';
import { algorithmsOf, isFapi2 } from './security-profile.ts';
import { keysTrustedBy } from './trusted-keys.ts';
import { setupUrls, tokenPath } from './urls.ts';

export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export interface Assertion {
  /** Null: the client itself. Else one of the workloads that its JWKS sources vouch for. */
  readonly workload: Workload | null;
}

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
  const { db, key, publicUrl } = needs;
  const { client_id: self } = client;
  const trusted = await keysTrustedBy(needs, client, assertion, call.now);
  const servers = serverNames(publicUrl, client);
  // Platforms name the client that a workload's token is for; a client itself addresses the server.
  const terms = { audience: [...servers, self], algorithms: algorithmsOf(client), self };
  const verified = await verifyAssertion(trusted, assertion, terms, call.now);
  if (!verified) return null;
  const { iss, sub, aud, jti, iat, source, expires } = verified;
  const isClient = iss === self && sub === self;
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
  return { workload: isClient ? null : workloadOf(verified) };
}

/** Accepted audiences: all identifiers of this server, the issuer first. */
function serverNames(publicUrl: string, { assigned_application_slug, issuer_mode }: Client): string[] {
  const { issuer = '', token = '' } = setupUrls(publicUrl, assigned_application_slug, issuer_mode);
  return [issuer, token, `${publicUrl}${tokenPath}`, `${publicUrl}/`, publicUrl];
}
