import type { Template } from '../template.ts';

export const grafana: Template = {
  id: 'grafana',
  name: 'Grafana',
  about: 'Dashboards and alerts',
  category: 'Infrastructure',
  protocol: 'oauth2',
  address: 'https://grafana.example.com',
  redirects: ['{address}/login/generic_oauth'],
  signedOut: ['{address}/login'],
  where: 'Environment of Grafana',
  setup: `GF_SERVER_ROOT_URL={address}
GF_AUTH_GENERIC_OAUTH_ENABLED=true
GF_AUTH_GENERIC_OAUTH_NAME=Gatehouse
GF_AUTH_GENERIC_OAUTH_CLIENT_ID={client_id}
GF_AUTH_GENERIC_OAUTH_CLIENT_SECRET={client_secret}
GF_AUTH_GENERIC_OAUTH_SCOPES=openid profile email
GF_AUTH_GENERIC_OAUTH_AUTH_URL={authorize_url}
GF_AUTH_GENERIC_OAUTH_TOKEN_URL={token_url}
GF_AUTH_GENERIC_OAUTH_API_URL={userinfo_url}
GF_AUTH_GENERIC_OAUTH_USE_PKCE=true
GF_AUTH_GENERIC_OAUTH_LOGIN_ATTRIBUTE_PATH=preferred_username
GF_AUTH_GENERIC_OAUTH_GROUPS_ATTRIBUTE_PATH=groups
GF_AUTH_GENERIC_OAUTH_ALLOWED_GROUPS={groups}
GF_AUTH_GENERIC_OAUTH_ROLE_ATTRIBUTE_PATH=contains(groups[*], 'Grafana Admins') && 'Admin' || 'Viewer'
GF_AUTH_SIGNOUT_REDIRECT_URL={logout_url}?post_logout_redirect_uri={address}/login`,
  docs: 'https://grafana.com/docs/grafana/latest/setup-grafana/configure-access/configure-authentication/generic-oauth/',
  checked: { version: '06fccecb', date: '2026-11-20', how: 'read' },
};
