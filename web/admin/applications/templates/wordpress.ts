import type { Template } from '../template.ts';

export const wordpress: Template = {
  id: 'wordpress',
  name: 'WordPress',
  about: 'Web sites and blogs',
  category: 'Knowledge and office',
  protocol: 'oauth2',
  address: 'https://www.example.com',
  redirects: ['{address}/wp-admin/admin-ajax.php?action=openid-connect-authorize'],
  where: 'The plugin “OpenID Connect Generic”, Settings',
  setup: `Client ID: {client_id}
Client Secret Key: {client_secret}
OpenID Scope: openid profile email
Login Endpoint URL: {authorize_url}
Userinfo Endpoint URL: {userinfo_url}
Token Validation Endpoint URL: {token_url}
End Session Endpoint URL: {logout_url}
Identity Key: preferred_username`,
  docs: 'https://wordpress.org/plugins/daggerhart-openid-connect-generic/',
};
