import type { Template } from '../template.ts';

export const vaultwarden: Template = {
  id: 'vaultwarden',
  name: 'Vaultwarden',
  about: 'Passwords of people and teams',
  category: 'Access',
  protocol: 'oauth2',
  address: 'https://vault.example.com',
  redirects: ['{address}/identity/connect/oidc-signin'],
  where: 'Environment of Vaultwarden',
  setup: `DOMAIN={address}
SSO_ENABLED=true
# The issuer as it is, with its slash. Users need a verified address.
SSO_AUTHORITY={issuer}
SSO_CLIENT_ID={client_id}
SSO_CLIENT_SECRET={client_secret}
SSO_SCOPES=email profile offline_access
SSO_PKCE=true`,
  docs: 'https://github.com/dani-garcia/vaultwarden/wiki/Enabling-SSO-support-using-OpenId-Connect',
  checked: { version: 'main', date: '2026-11-19', how: 'read' },
};
