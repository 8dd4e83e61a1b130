import type { Template } from '../template.ts';

export const headscale: Template = {
  id: 'headscale',
  name: 'Headscale',
  about: 'A private network of your own',
  category: 'Access',
  protocol: 'oauth2',
  address: 'https://headscale.example.com',
  redirects: ['{address}/oidc/callback'],
  where: 'config.yaml',
  setup: `oidc:
  issuer: "{issuer}"
  client_id: "{client_id}"
  client_secret: "{client_secret}"
  scope: ["openid", "profile", "email"]
  pkce:
    enabled: true
  allowed_groups: [{quoted_groups}]`,
  hasNoPage: true,
  docs: 'https://headscale.net/stable/ref/oidc/',
  checked: { version: '0.29.0', date: '2026-11-20', how: 'run' },
};
