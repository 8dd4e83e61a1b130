import type { Text } from '../../texts/text.ts';

/** A service that people sign in with, under its product name. */
export interface Service {
  readonly id: string;
  readonly name: string;
  /** Its name in the API, or its protocol. */
  readonly neutral: string;
  /** `provider_type` of an OAuth source. */
  readonly type?: string;
  /** Whether its addresses are entered one by one, since it publishes no discovery document. */
  readonly hasEndpoints?: boolean;
  /** For other kinds: the form of new objects. */
  readonly form?: string;
  /** Where one registers there. */
  readonly console?: string;
  /** What its discovery document is found by, beside its name. */
  readonly asks?: { readonly label: Text; readonly hint: Text; readonly isName?: boolean };
  /** The address of the discovery document, by the answer. */
  wellKnown?(answer: string): string;
}

const withoutSlash = (address: string): string => address.trim().replace(/\/+$/, '');
const withScheme = (address: string): string =>
  /^https?:\/\//.test(address) ? withoutSlash(address) : `https://${withoutSlash(address)}`;
const discovery = (address: string): string =>
  address.includes('/.well-known/') ? withScheme(address) : `${withScheme(address)}/.well-known/openid-configuration`;

const service = (id: string, name: string, neutral: string, rest: Partial<Service>): Service => ({
  id,
  name,
  neutral,
  ...rest,
});

const oidc = 'OpenID Connect';
const oauth = 'OAuth 2';

/** In the order of the gallery. */
export const services: readonly Service[] = [
  service('google', 'Google', oidc, {
    type: 'google',
    console: 'https://console.cloud.google.com/auth/clients',
  }),
  service('entra', 'Microsoft Entra ID', 'Azure AD', {
    type: 'azuread',
    console: 'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade',
    asks: { label: 'Directory (tenant) ID', hint: 'On the overview of the app registration.' },
    wellKnown: (tenant) =>
      `https://login.microsoftonline.com/${encodeURIComponent(tenant.trim())}/v2.0/.well-known/openid-configuration`,
  }),
  service('github', 'GitHub', oauth, { type: 'github', console: 'https://github.com/settings/developers' }),
  service('gitlab', 'GitLab', oidc, {
    type: 'gitlab',
    console: 'https://gitlab.com/-/user_settings/applications',
  }),
  service('apple', 'Apple', oidc, {
    type: 'apple',
    console: 'https://developer.apple.com/account/resources/identifiers/list/serviceId',
  }),
  service('facebook', 'Facebook', oauth, { type: 'facebook', console: 'https://developers.facebook.com/apps/' }),
  service('discord', 'Discord', oauth, { type: 'discord', console: 'https://discord.com/developers/applications' }),
  service('slack', 'Slack', oidc, {
    type: 'openidconnect',
    console: 'https://api.slack.com/apps',
    wellKnown: () => 'https://slack.com/.well-known/openid-configuration',
  }),
  service('twitch', 'Twitch', oidc, { type: 'twitch', console: 'https://dev.twitch.tv/console/apps' }),
  service('okta', 'Okta', oidc, {
    type: 'okta',
    asks: { label: 'Address of your organization', hint: 'Such as example.okta.com.' },
    wellKnown: discovery,
  }),
  service('keycloak', 'Keycloak', oidc, {
    type: 'openidconnect',
    asks: { label: 'Address of the realm', hint: 'Such as https://id.example.com/realms/staff.' },
    wellKnown: discovery,
  }),
  service('openid', 'OpenID Connect', 'OIDC', {
    type: 'openidconnect',
    asks: { label: 'Issuer or discovery document', hint: 'Such as https://id.example.com.', isName: true },
    wellKnown: discovery,
  }),
  service('plex', 'Plex', 'mediasrc', { form: '/sources/mediasrc/' }),
  service('saml', 'SAML', 'SAML 2.0', { form: '/sources/saml/' }),
  service('scim', 'SCIM', 'SCIM 2.0', { form: '/sources/scim/' }),
  service('oauth', 'OAuth 2', 'RFC 6749', { type: 'oauth2', hasEndpoints: true }),
  service('oauth-form', 'X, Reddit, Patreon, Mailcow', oauth, { form: '/sources/oauth/' }),
];
