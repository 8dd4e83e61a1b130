import { asObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { GuardedFetch } from '../../../platform/fetch/guarded-fetch.ts';
import { isKeySet } from '../../../platform/fetch/remote-keys.ts';
import type { OAuthSource } from './oauth-model.ts';
import { findProviderType } from './provider-types.ts';
import { failed, isSuccess, requestService } from './request-service.ts';

/**
 * What an OpenID provider publishes (OpenID Connect Discovery §3), as far as it is used. A type, since it is stored.
 */
export type Discovered = {
  /** The address it was read from: when the source is pointed elsewhere, it counts no more. */
  readonly from: string;
  readonly issuer: string;
  readonly authorization_endpoint: string | null;
  readonly token_endpoint: string | null;
  readonly userinfo_endpoint: string | null;
  readonly jwks_uri: string | null;
  /** Missing in documents that were stored before it was read. */
  readonly end_session_endpoint?: string | null;
  readonly algorithms: readonly string[] | null;
  readonly auth_methods: readonly string[] | null;
  /** Whether its answers name it (RFC 9207 §3). */
  readonly names_itself?: boolean;
  /** The keys as they were then, for when they cannot be fetched. */
  readonly jwks: Json;
};

type Addresses = Pick<OAuthSource, 'provider_type' | 'oidc_well_known_url' | 'access_token_url'>;

/** Whether the service runs at another host than its type: then the type's discovery document does not apply. */
export const isElsewhere = ({ provider_type, access_token_url }: Addresses): boolean =>
  findProviderType(provider_type)?.urls_customizable === true && Boolean(access_token_url);

export const wellKnownOf = (source: Addresses): string =>
  source.oidc_well_known_url ||
  (isElsewhere(source) ? '' : (findProviderType(source.provider_type)?.oidc_well_known_url ?? ''));

/** What was discovered of the source as it is set up now; null when nothing was. */
export function discoveredOf(source: Addresses & Pick<OAuthSource, 'oidc_discovered'>): Discovered | null {
  const stored = asObject(source.oidc_discovered);
  const from = wellKnownOf(source);
  // The column holds what `discover` made, or {}.
  return from !== '' && stored.from === from ? (stored as Discovered) : null;
}

/** Whether the issuer made a token. Multi-tenant providers publish a template for their issuers. */
export function isIssuedBy(
  { issuer }: Pick<Discovered, 'issuer'>,
  { iss, tid }: { readonly iss?: unknown; readonly tid?: unknown },
): boolean {
  if (!issuer.includes('{tenantid}')) return iss === issuer;
  return typeof tid === 'string' && /^[\da-f-]{36}$/i.test(tid) && iss === issuer.replace('{tenantid}', tid);
}

/** Reads what the provider publishes. Throws `SourceRefusal`. */
export async function discover(fetch: GuardedFetch, source: OAuthSource): Promise<Discovered> {
  const from = wellKnownOf(source);
  const about = { name: source.name, what: 'OpenID configuration' };
  const { status, body } = await requestService(fetch, about, from, {});
  if (!isSuccess(status)) throw failed(about, `it answered with status ${status}`);
  const { issuer } = body;
  if (typeof issuer !== 'string' || !isWebAddress(issuer)) throw failed(about, 'it names no issuer');
  if (!isIssuerAt(issuer, from)) throw failed(about, `it is that of another issuer, ${issuer.slice(0, 200)}`);
  const jwks_uri = addressIn(body, 'jwks_uri');
  return {
    from,
    issuer,
    authorization_endpoint: addressIn(body, 'authorization_endpoint'),
    token_endpoint: addressIn(body, 'token_endpoint'),
    userinfo_endpoint: addressIn(body, 'userinfo_endpoint'),
    jwks_uri,
    end_session_endpoint: addressIn(body, 'end_session_endpoint'),
    algorithms: textsIn(body, 'id_token_signing_alg_values_supported'),
    auth_methods: textsIn(body, 'token_endpoint_auth_methods_supported'),
    names_itself: body.authorization_response_iss_parameter_supported === true,
    jwks: await keysAt(fetch, source, source.oidc_jwks_url || jwks_uri),
  };
}

const wellKnown = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];

/**
 * Whether a document belongs to the address that it was read from (OpenID Connect Discovery §4.3, RFC 8414 §3.3, where
 * the path of the issuer comes last). At other addresses, the origin alone can be compared; a template for many tenants
 * belongs to none.
 */
function isIssuerAt(issuer: string, from: string): boolean {
  if (issuer.includes('{')) return true;
  const [claimed, read] = [new URL(issuer), new URL(from)];
  if (claimed.origin !== read.origin) return false;
  const name = wellKnown.find((one) => read.pathname.includes(one));
  if (name === undefined) return true;
  const [before = '', after = ''] = read.pathname.split(name);
  return (
    withoutSlash(claimed.pathname) === withoutSlash(before || after) && (before === '' || withoutSlash(after) === '')
  );
}

const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

/** Without its keys the rest is worth having: they are fetched again when one is needed. */
async function keysAt(fetch: GuardedFetch, { name }: OAuthSource, url: string | null): Promise<Json> {
  if (!url) return null;
  const answer = await requestService(fetch, { name, what: 'keys' }, url, {}).catch(() => null);
  return answer && isSuccess(answer.status) && isKeySet(answer.body) ? answer.body : null;
}

export const isWebAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

function addressIn(body: JsonObject, name: string): string | null {
  const value = body[name];
  return typeof value === 'string' && isWebAddress(value) ? value : null;
}

function textsIn(body: JsonObject, name: string): string[] | null {
  const value = body[name];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : null;
}
