import type { Json } from '../../../lib/json.ts';
import type { Registry, Resource } from '../../../resource/resource.ts';
import type { SourceRow } from '../../../source/source.family.ts';

export const oauthSourceModel = 'svc_sources_oauth.oauthsource';
export const oauthConnectionModel = 'svc_sources_oauth.useroauthsourceconnection';
export const oauthMappingModel = 'svc_sources_oauth.oauthsourcepropertymapping';
export const oauthPaths = { login: '/source/oauth/login/{slug}/', callback: '/source/oauth/callback/{slug}/' } as const;
/** Where people return from signing out at the service, and where it sends logout tokens. */
export const oauthLogoutPaths = {
  logout: '/source/oauth/logout/{slug}/',
  backchannel: '/source/oauth/backchannel-logout/{slug}/',
} as const;

/** An OAuth source as an administrator has set it up, secrets in clear. */
export type OAuthSource = SourceRow & {
  readonly provider_type: string;
  readonly authorization_url: string | null;
  readonly access_token_url: string | null;
  readonly profile_url: string | null;
  readonly consumer_key: string;
  readonly consumer_secret: string;
  readonly additional_scopes: string;
  readonly oidc_well_known_url: string;
  readonly oidc_jwks_url: string;
  readonly oidc_jwks: Json;
  readonly oidc_discovered: Json;
};

/** The model is this kind's own, so its rows are these. */
export const oauthResource = (registry: Registry): Resource<OAuthSource> =>
  registry.require(oauthSourceModel) as Resource<OAuthSource>;
