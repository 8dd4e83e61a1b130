/** A service that people sign in with. What it leaves null an administrator has to say. */
export interface ProviderType {
  readonly name: string;
  readonly verbose_name: string;
  /** Whether the service is also run elsewhere, so that its addresses can be others. */
  readonly urls_customizable: boolean;
  readonly request_token_url: string | null;
  readonly authorization_url: string | null;
  readonly access_token_url: string | null;
  readonly profile_url: string | null;
  readonly oidc_well_known_url: string | null;
  readonly oidc_jwks_url: string | null;
}

type Addresses = Partial<Omit<ProviderType, 'name' | 'verbose_name' | 'urls_customizable'>>;

const unknown = {
  request_token_url: null,
  authorization_url: null,
  access_token_url: null,
  profile_url: null,
  oidc_well_known_url: null,
  oidc_jwks_url: null,
};

const fixed = (name: string, verbose_name: string, addresses: Addresses): ProviderType => ({
  name,
  verbose_name,
  urls_customizable: false,
  ...unknown,
  ...addresses,
});

const customizable = (name: string, verbose_name: string, addresses: Addresses = {}): ProviderType => ({
  ...fixed(name, verbose_name, addresses),
  urls_customizable: true,
});

/** The kinds of OAuth service there are, with the addresses that they publish. */
export const providerTypes: readonly ProviderType[] = [
  fixed('apple', 'Apple', {
    authorization_url: 'https://appleid.apple.com/auth/authorize',
    access_token_url: 'https://appleid.apple.com/auth/token',
    // The profile comes in the ID token.
    profile_url: '',
    oidc_well_known_url: 'https://appleid.apple.com/.well-known/openid-configuration',
    oidc_jwks_url: 'https://appleid.apple.com/auth/keys',
  }),
  customizable('openidconnect', 'OpenID Connect'),
  customizable('azuread', 'Azure AD', {
    authorization_url: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    access_token_url: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    profile_url: 'https://graph.microsoft.com/v1.0/me',
    oidc_well_known_url: 'https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration',
    oidc_jwks_url: 'https://login.microsoftonline.com/common/discovery/v2.0/keys',
  }),
  fixed('discord', 'Discord', {
    authorization_url: 'https://discord.com/api/oauth2/authorize',
    access_token_url: 'https://discord.com/api/oauth2/token',
    profile_url: 'https://discord.com/api/users/@me',
  }),
  fixed('facebook', 'Facebook', {
    authorization_url: 'https://www.facebook.com/dialog/oauth',
    access_token_url: 'https://graph.facebook.com/oauth/access_token',
    profile_url: 'https://graph.facebook.com/me?fields=id,name,email',
  }),
  customizable('github', 'GitHub', {
    authorization_url: 'https://github.com/login/oauth/authorize',
    access_token_url: 'https://github.com/login/oauth/access_token',
    profile_url: 'https://api.github.com/user',
  }),
  customizable('gitlab', 'GitLab', {
    authorization_url: 'https://gitlab.com/oauth/authorize',
    access_token_url: 'https://gitlab.com/oauth/token',
    profile_url: 'https://gitlab.com/oauth/userinfo',
    oidc_well_known_url: 'https://gitlab.com/.well-known/openid-configuration',
    oidc_jwks_url: 'https://gitlab.com/oauth/discovery/keys',
  }),
  fixed('google', 'Google', {
    authorization_url: 'https://accounts.google.com/o/oauth2/v2/auth',
    access_token_url: 'https://oauth2.googleapis.com/token',
    profile_url: 'https://openidconnect.googleapis.com/v1/userinfo',
    oidc_well_known_url: 'https://accounts.google.com/.well-known/openid-configuration',
    oidc_jwks_url: 'https://www.googleapis.com/oauth2/v3/certs',
  }),
  customizable('mailcow', 'Mailcow'),
  customizable('oauth2', 'OAuth 2'),
  customizable('okta', 'Okta'),
  fixed('patreon', 'Patreon', {
    authorization_url: 'https://www.patreon.com/oauth2/authorize',
    access_token_url: 'https://www.patreon.com/api/oauth2/token',
    profile_url: 'https://www.patreon.com/api/oauth2/v2/identity',
  }),
  fixed('reddit', 'Reddit', {
    authorization_url: 'https://www.reddit.com/api/v1/authorize',
    access_token_url: 'https://www.reddit.com/api/v1/access_token',
    profile_url: 'https://oauth.reddit.com/api/v1/me',
  }),
  fixed('twitch', 'Twitch', {
    authorization_url: 'https://id.twitch.tv/oauth2/authorize',
    access_token_url: 'https://id.twitch.tv/oauth2/token',
    profile_url: 'https://id.twitch.tv/oauth2/userinfo',
    oidc_well_known_url: 'https://id.twitch.tv/oauth2/.well-known/openid-configuration',
    oidc_jwks_url: 'https://id.twitch.tv/oauth2/keys',
  }),
  fixed('twitter', 'Twitter', {
    authorization_url: 'https://x.com/i/oauth2/authorize',
    access_token_url: 'https://api.x.com/2/oauth2/token',
    profile_url: 'https://api.x.com/2/users/me',
  }),
];

export function findProviderType(name: unknown): ProviderType | undefined {
  return providerTypes.find((type) => type.name === name);
}
