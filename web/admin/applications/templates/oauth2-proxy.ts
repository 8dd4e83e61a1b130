import type { Template } from '../template.ts';

export const oauth2Proxy: Template = {
  id: 'oauth2-proxy',
  name: 'OAuth2 Proxy',
  about: 'A sign-in before any web site',
  category: 'Access',
  protocol: 'oauth2',
  address: 'https://internal.example.com',
  redirects: ['{address}/oauth2/callback'],
  where: 'Environment of OAuth2 Proxy',
  setup: `OAUTH2_PROXY_PROVIDER=oidc
OAUTH2_PROXY_OIDC_ISSUER_URL={issuer}
OAUTH2_PROXY_CLIENT_ID={client_id}
OAUTH2_PROXY_CLIENT_SECRET={client_secret}
OAUTH2_PROXY_REDIRECT_URL={address}/oauth2/callback
OAUTH2_PROXY_CODE_CHALLENGE_METHOD=S256
OAUTH2_PROXY_SCOPE=openid email profile offline_access
OAUTH2_PROXY_EMAIL_DOMAINS=*
{without_groups}# Only for some groups: OAUTH2_PROXY_ALLOWED_GROUPS=
OAUTH2_PROXY_ALLOWED_GROUPS={groups}
# The output of: openssl rand -hex 16
OAUTH2_PROXY_COOKIE_SECRET=
OAUTH2_PROXY_COOKIE_REFRESH=1h
# What is behind it:
OAUTH2_PROXY_UPSTREAMS=http://127.0.0.1:8080/`,
  docs: 'https://oauth2-proxy.github.io/oauth2-proxy/configuration/overview',
  checked: { version: '7.8.1', date: '2026-11-20', how: 'run' },
};
