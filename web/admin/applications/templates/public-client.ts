import type { Template } from '../template.ts';

export const publicClient: Template = {
  id: 'public-client',
  name: 'Any browser or phone app',
  about: 'OpenID Connect with PKCE, without a secret',
  category: '',
  protocol: 'oauth2',
  address: 'https://app.example.com',
  redirects: ['{address}/callback'],
  where: 'In the settings of the app',
  setup: `Issuer: {issuer}
Discovery: {discovery_url}
Client ID: {client_id}
Scopes: openid profile email`,
  isPublic: true,
  asksRedirect: true,
};
