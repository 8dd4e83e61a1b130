import { asObject, isJsonObject, type JsonObject } from '../../../lib/json.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import { OutboundError } from '../../../platform/fetch/outbound-error.ts';
import type { RemoteKeys } from '../../../platform/fetch/remote-keys.ts';
import { SourceRefusal } from '../../../source/source-refusal.ts';
import { clientIdOf } from './client.ts';
import type { Endpoints } from './endpoints.ts';
import type { OAuthSource } from './oauth-model.ts';
import { failed, isSuccess, requestService } from './request-service.ts';
import { rulesOf } from './type-rules.ts';
import { notVerified, verifyJwt } from './verify-jwt.ts';

/**
 * Asks a service whose token this is. The token goes into the header and nowhere else (RFC 9700 §4.3.2). The answer may
 * be a JWT (OpenID Connect Core §5.3.2), which `verify` reads.
 */
export async function fetchProfile(
  fetch: GuardedFetch,
  source: OAuthSource,
  address: string,
  accessToken: string,
  verify: ((jwt: string) => Promise<JsonObject>) | null,
): Promise<JsonObject> {
  const { profileParams = {}, emailsPath } = rulesOf(source.provider_type);
  const about = { name: source.name, what: 'profile' };
  const headers = { authorization: `Bearer ${accessToken}` };
  const url = new URL(address);
  for (const [name, value] of Object.entries(profileParams)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, value);
  }
  const { status, body } = await requestService(fetch, about, url.href, { headers }, verify);
  if (!isSuccess(status)) throw failed(about, `it answered with status ${status}`);
  return emailsPath === undefined
    ? body
    : { ...body, ...(await primaryEmail(fetch, `${address}${emailsPath}`, headers)) };
}

/** The claims of a signed profile. It names its issuer and its audience if the provider follows the standard. */
export async function verifyProfile(
  remoteKeys: RemoteKeys,
  source: OAuthSource,
  endpoints: Endpoints,
  jwt: string,
  now: string,
): Promise<JsonObject> {
  const { claims } = await verifyJwt(remoteKeys, source, endpoints, { jwt, what: 'profile', options: {}, now });
  const { aud } = claims;
  if (aud !== undefined && ![aud].flat().includes(clientIdOf(source))) {
    throw notVerified(source, 'profile', 'it was made for another client');
  }
  return asObject(claims);
}

/** The main address of the person, and whether it is verified; otherwise the address of the profile is unverified. */
async function primaryEmail(
  fetch: GuardedFetch,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<JsonObject> {
  try {
    const answer = await fetch(url, { headers: { accept: 'application/json', ...headers }, timeoutMs: 8_000 });
    const list = isSuccess(answer.status) ? answer.json() : [];
    const primary = Array.isArray(list) ? list.find((one) => isJsonObject(one) && one.primary === true) : undefined;
    return isJsonObject(primary) && typeof primary.email === 'string'
      ? { email: primary.email, email_verified: primary.verified === true }
      : { email_verified: false };
  } catch (error) {
    if (error instanceof OutboundError) return { email_verified: false };
    throw error;
  }
}

/** OpenID Connect Core §5.3.2: the `sub` of the userinfo response must match the ID token. */
export function checkSameSubject({ provider_type, name }: OAuthSource, claims: JsonObject, profile: JsonObject): void {
  // Microsoft Graph is not a userinfo endpoint: it identifies users by object id.
  const isSame =
    provider_type === 'azuread' && profile.sub === undefined
      ? claims.oid === undefined || profile.id === claims.oid
      : profile.sub === claims.sub;
  if (!isSame) throw new SourceRefusal(`The profile from ${name} is not that of the person who signed in there.`);
}

/** Merges both, the profile first. `email_verified` applies to the address in the same document only. */
export function withProfile(claims: JsonObject, profile: JsonObject): JsonObject {
  const { email_verified: ofClaims, ...rest } = claims;
  const { email_verified: ofProfile, ...told } = profile;
  const isOfClaims = profile.email === undefined || (profile.email === claims.email && ofProfile === undefined);
  const email_verified = isOfClaims ? ofClaims : ofProfile;
  return { ...rest, ...told, ...(email_verified !== undefined && { email_verified }) };
}
