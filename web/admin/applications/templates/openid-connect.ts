import type { Template } from '../template.ts';

export const openidConnect: Template = {
  id: 'openid-connect',
  name: 'Any web application',
  about: 'OpenID Connect, with a secret on a server',
  category: '',
  protocol: 'oauth2',
  address: 'https://app.example.com',
  redirects: ['{address}/callback'],
  where: 'Where the application asks for OpenID Connect',
  setup: `Issuer: {issuer}
Discovery: {discovery_url}
Authorization: {authorize_url}
Token: {token_url}
User info: {userinfo_url}
Signing keys: {jwks_url}
Signing out: {logout_url}
Client ID: {client_id}
Client secret: {client_secret}
Scopes: openid profile email`,
  asksRedirect: true,
};
