import type { Template } from '../template.ts';

export const zammad: Template = {
  id: 'zammad',
  name: 'Zammad',
  about: 'A help desk',
  category: 'Communication',
  protocol: 'oauth2',
  address: 'https://help.example.com',
  redirects: ['{address}/auth/openid_connect/callback'],
  backchannel: '{address}/auth/openid_connect/backchannel_logout',
  where: 'Settings → Security → Third-party applications → OpenID Connect',
  setup: `Display name: Gatehouse
Identifier: {client_id}
Issuer: {issuer}
UID field: leave empty
Scopes: openid email profile`,
  isPublic: true,
  docs: 'https://admin-docs.zammad.org/en/latest/settings/security/third-party/openid-connect.html',
  checked: { version: 'latest', date: '2026-11-19', how: 'read' },
};
