import { misconfigured } from '../../../source/source-refusal.ts';
import { type Discovered, discoveredOf, isElsewhere, isWebAddress, wellKnownOf } from './discovery.ts';
import type { OAuthSource } from './oauth-model.ts';
import { findProviderType } from './provider-types.ts';
import { rulesOf } from './type-rules.ts';

/** The endpoints and capabilities of a service. */
export interface Endpoints {
  readonly authorize: string;
  readonly token: string;
  /** Null if the ID token contains the whole profile. */
  readonly profile: string | null;
  readonly jwks: string | null;
  readonly clientAuth: 'basic' | 'post';
  readonly discovered: Discovered | null;
}

export interface DiscoveryNeeds {
  /** Discovery. */
  discover(source: OAuthSource): Promise<Discovered>;
  /** Stores what was discovered. */
  keep(source: OAuthSource, discovered: Discovered): Promise<void>;
}

type AddressName = 'authorization_url' | 'access_token_url' | 'profile_url';

/** Precedence: configured by an administrator, discovered, default of the type. */
export async function endpointsOf(needs: DiscoveryNeeds, source: OAuthSource): Promise<Endpoints> {
  const type = findProviderType(source.provider_type);
  const discovered = await discoveredNow(needs, source);
  const { isOpenId = false, clientAuth } = rulesOf(source.provider_type);
  // The type defines all URLs of a service that runs in one place.
  const isFree = type?.urls_customizable === true;
  const address = (name: AddressName, published: string | null | undefined): string | null =>
    (isFree && source[name]) ||
    (isFree && isOpenId && source.oidc_well_known_url !== '' && published) ||
    type?.[name] ||
    null;
  return {
    authorize: required('authorization URL', address('authorization_url', discovered?.authorization_endpoint)),
    token: required('access token URL', address('access_token_url', discovered?.token_endpoint)),
    profile: address('profile_url', discovered?.userinfo_endpoint),
    jwks: source.oidc_jwks_url || discovered?.jwks_uri || (isElsewhere(source) ? null : type?.oidc_jwks_url) || null,
    clientAuth: clientAuthOf(clientAuth, discovered),
    discovered,
  };
}

/**
 * Discovers at once what the job has not discovered yet. Where all addresses are set by hand, the source works without.
 */
async function discoveredNow(needs: DiscoveryNeeds, source: OAuthSource): Promise<Discovered | null> {
  const known = discoveredOf(source);
  if (known || wellKnownOf(source) === '' || !rulesOf(source.provider_type).isOpenId) return known;
  const discovered = await needs.discover(source);
  await needs.keep(source, discovered);
  return discovered;
}

function required(what: string, address: string | null): string {
  if (address === null || !isWebAddress(address)) throw misconfigured(`Source has an empty ${what}.`);
  return address;
}

/** RFC 8414 §2: the default is the header. */
function clientAuthOf(usual: 'basic' | 'post', discovered: Discovered | null): 'basic' | 'post' {
  const methods = discovered?.auth_methods;
  if (!methods || methods.includes(`client_secret_${usual}`)) return usual;
  if (methods.includes('client_secret_basic')) return 'basic';
  return methods.includes('client_secret_post') ? 'post' : usual;
}
