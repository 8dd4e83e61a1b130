import type { Template } from '../template.ts';

export const miniflux: Template = {
  id: 'miniflux',
  name: 'Miniflux',
  about: 'News feeds',
  category: 'Media and home',
  protocol: 'oauth2',
  address: 'https://news.example.com',
  redirects: ['{address}/oauth2/oidc/callback'],
  where: 'Environment of Miniflux',
  setup: `OAUTH2_PROVIDER=oidc
OAUTH2_CLIENT_ID={client_id}
OAUTH2_CLIENT_SECRET={client_secret}
OAUTH2_REDIRECT_URL={address}/oauth2/oidc/callback
OAUTH2_OIDC_DISCOVERY_ENDPOINT={issuer}
OAUTH2_OIDC_PROVIDER_NAME=Gatehouse
OAUTH2_USER_CREATION=1`,
  docs: 'https://miniflux.app/docs/',
  checked: { version: '2.3.0', date: '2026-11-20', how: 'run' },
};
