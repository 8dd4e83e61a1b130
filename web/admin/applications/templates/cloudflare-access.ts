import type { Template } from '../template.ts';

export const cloudflareAccess: Template = {
  id: 'cloudflare-access',
  name: 'Cloudflare Access',
  about: 'A sign-in before sites at Cloudflare',
  category: 'Access',
  protocol: 'oauth2',
  address: 'https://team.cloudflareaccess.com',
  redirects: ['{address}/cdn-cgi/access/callback'],
  where: 'Zero Trust → Integrations → Identity providers → OpenID Connect',
  setup: `Name: Gatehouse
App ID: {client_id}
Client secret: {client_secret}
Auth URL: {authorize_url}
Token URL: {token_url}
Certificate URL: {jwks_url}
PKCE: on`,
  docs: 'https://developers.cloudflare.com/cloudflare-one/integrations/identity-providers/generic-oidc/',
  checked: { version: '036ae51b', date: '2026-11-20', how: 'read' },
};
