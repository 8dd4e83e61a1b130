import type { Template } from '../template.ts';

export const gitlab: Template = {
  id: 'gitlab',
  name: 'GitLab',
  about: 'Source code and pipelines',
  category: 'Development',
  protocol: 'oauth2',
  address: 'https://gitlab.example.com',
  redirects: ['{address}/users/auth/openid_connect/callback'],
  where: '/etc/gitlab/gitlab.rb',
  setup: `gitlab_rails['omniauth_allow_single_sign_on'] = ['openid_connect']
# Otherwise new people wait for an administrator.
gitlab_rails['omniauth_block_auto_created_users'] = false
gitlab_rails['omniauth_providers'] = [{
  name: 'openid_connect',
  label: 'Gatehouse',
  args: {
    name: 'openid_connect',
    scope: ['openid', 'profile', 'email'],
    response_type: 'code',
    issuer: '{issuer}',
    discovery: true,
    client_auth_method: 'query',
    uid_field: 'preferred_username',
    pkce: true,
    client_options: {
      identifier: '{client_id}',
      secret: '{client_secret}',
      redirect_uri: '{address}/users/auth/openid_connect/callback'
    }
  }
}]`,
  docs: 'https://docs.gitlab.com/administration/auth/oidc/',
  checked: { version: '017a6c12', date: '2026-11-20', how: 'read' },
};
