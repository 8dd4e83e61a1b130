import type { Template } from '../template.ts';

export const gitea: Template = {
  id: 'gitea',
  name: 'Gitea',
  about: 'Source code, small and fast',
  category: 'Development',
  protocol: 'oauth2',
  address: 'https://gitea.example.com',
  redirects: ['{address}/user/oauth2/gatehouse/callback'],
  where: 'Site administration → Authentication sources → Add',
  setup: `Authentication name: gatehouse
OAuth2 provider: OpenID Connect
Client ID: {client_id}
Client secret: {client_secret}
Auto discovery URL: {discovery_url}
Additional scopes: email profile
Claim name providing group names: groups
Required claim name: groups, required claim value: {only_group}

# app.ini: new people get an account, by their user name.
[oauth2_client]
ENABLE_AUTO_REGISTRATION = true
USERNAME = preferred_username`,
  docs: 'https://docs.gitea.com/administration/authentication',
  checked: { version: '1.25.5', date: '2026-11-20', how: 'run' },
};
