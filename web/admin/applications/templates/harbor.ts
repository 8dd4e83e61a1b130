import type { Template } from '../template.ts';

export const harbor: Template = {
  id: 'harbor',
  name: 'Harbor',
  about: 'Registry of container images',
  category: 'Development',
  protocol: 'oauth2',
  address: 'https://harbor.example.com',
  redirects: ['{address}/c/oidc/callback'],
  where: 'Configuration → Authentication → mode OIDC',
  setup: `OIDC Provider Name: Gatehouse
OIDC Endpoint: {issuer}
OIDC Client ID: {client_id}
OIDC Client Secret: {client_secret}
Group Claim Name: groups
OIDC Scope: openid,email,profile,offline_access
Automatic onboarding: on
Username Claim: preferred_username`,
  docs: 'https://goharbor.io/docs/latest/administration/configure-authentication/oidc-auth/',
  checked: { version: 'main', date: '2026-11-19', how: 'read' },
};
