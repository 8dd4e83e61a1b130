import type { Template } from '../template.ts';

export const portainer: Template = {
  id: 'portainer',
  name: 'Portainer',
  about: 'Containers in a browser',
  category: 'Infrastructure',
  protocol: 'oauth2',
  address: 'https://portainer.example.com',
  redirects: ['{address}/'],
  where: 'Settings → Authentication → OAuth → Custom',
  setup: `Automatic user provisioning: on
Client ID: {client_id}
Client secret: {client_secret}
Authorization URL: {authorize_url}
Access token URL: {token_url}
Resource URL: {userinfo_url}
Redirect URL: {address}/
Logout URL: {logout_url}
User identifier: preferred_username
Scopes: openid email profile`,
  docs: 'https://docs.portainer.io/admin/settings/authentication/oauth',
  checked: { version: '05d8c64a', date: '2026-11-20', how: 'read' },
};
