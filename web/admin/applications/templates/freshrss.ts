import type { Template } from '../template.ts';

export const freshrss: Template = {
  id: 'freshrss',
  name: 'FreshRSS',
  about: 'News from feeds',
  category: 'Media and home',
  protocol: 'oauth2',
  address: 'https://rss.example.com',
  redirects: ['{address}/i/oidc/'],
  where: 'Environment of FreshRSS',
  setup: `OIDC_ENABLED=1
OIDC_PROVIDER_METADATA_URL={discovery_url}
OIDC_CLIENT_ID={client_id}
OIDC_CLIENT_SECRET={client_secret}
# The output of: openssl rand -hex 32
OIDC_CLIENT_CRYPTO_KEY=
OIDC_REMOTE_USER_CLAIM=preferred_username
OIDC_SCOPES=openid profile email
OIDC_X_FORWARDED_HEADERS=X-Forwarded-Host X-Forwarded-Proto`,
  docs: 'https://freshrss.github.io/FreshRSS/en/admins/16_OpenID-Connect.html',
  checked: { version: 'edge', date: '2026-11-19', how: 'read' },
};
