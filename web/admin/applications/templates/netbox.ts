import type { Template } from '../template.ts';

export const netbox: Template = {
  id: 'netbox',
  name: 'NetBox',
  about: 'Networks and data centers',
  category: 'Infrastructure',
  protocol: 'oauth2',
  address: 'https://netbox.example.com',
  redirects: ['{address}/oauth/complete/oidc/'],
  where: 'configuration.py',
  setup: `REMOTE_AUTH_ENABLED = True
REMOTE_AUTH_AUTO_CREATE_USER = True
REMOTE_AUTH_BACKEND = 'social_core.backends.open_id_connect.OpenIdConnectAuth'
SOCIAL_AUTH_OIDC_OIDC_ENDPOINT = '{issuer_bare}'
SOCIAL_AUTH_OIDC_KEY = '{client_id}'
SOCIAL_AUTH_OIDC_SECRET = '{client_secret}'
SOCIAL_AUTH_OIDC_SCOPE = ['openid', 'profile', 'email']`,
  docs: 'https://netboxlabs.com/docs/netbox/administration/authentication/overview/',
  checked: { version: '62ed68de', date: '2026-11-20', how: 'read' },
};
