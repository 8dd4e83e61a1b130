import type { Template } from '../template.ts';

export const openWebui: Template = {
  id: 'open-webui',
  name: 'Open WebUI',
  about: 'Chat with language models',
  category: 'Knowledge and office',
  protocol: 'oauth2',
  address: 'https://chat.example.com',
  redirects: ['{address}/oauth/oidc/callback'],
  where: 'Environment of Open WebUI',
  setup: `WEBUI_URL={address}
ENABLE_OAUTH_SIGNUP=true
OAUTH_PROVIDER_NAME=Gatehouse
OPENID_PROVIDER_URL={discovery_url}
OAUTH_CLIENT_ID={client_id}
OAUTH_CLIENT_SECRET={client_secret}
OAUTH_SCOPES=openid email profile
ENABLE_OAUTH_GROUP_MANAGEMENT=true
OAUTH_GROUP_CLAIM=groups
{with_groups}ENABLE_OAUTH_ROLE_MANAGEMENT=true
{with_groups}OAUTH_ROLES_CLAIM=groups
OAUTH_ALLOWED_ROLES={groups}`,
  docs: 'https://docs.openwebui.com/features/auth/sso/',
  checked: { version: '0e5f2493', date: '2026-11-20', how: 'read' },
};
