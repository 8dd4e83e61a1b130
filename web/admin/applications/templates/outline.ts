import type { Template } from '../template.ts';

export const outline: Template = {
  id: 'outline',
  name: 'Outline',
  about: 'A wiki for teams',
  category: 'Knowledge and office',
  protocol: 'oauth2',
  address: 'https://wiki.example.com',
  redirects: ['{address}/auth/oidc.callback'],
  where: 'Environment of Outline',
  setup: `OIDC_CLIENT_ID={client_id}
OIDC_CLIENT_SECRET={client_secret}
OIDC_AUTH_URI={authorize_url}
OIDC_TOKEN_URI={token_url}
OIDC_USERINFO_URI={userinfo_url}
OIDC_LOGOUT_URI={logout_url}
OIDC_USERNAME_CLAIM=preferred_username
OIDC_DISPLAY_NAME=Gatehouse
OIDC_SCOPES=openid profile email`,
  docs: 'https://docs.getoutline.com/s/hosting',
  checked: { version: 'main', date: '2026-11-19', how: 'read' },
};
