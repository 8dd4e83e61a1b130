import type { Template } from '../template.ts';

export const rancher: Template = {
  id: 'rancher',
  name: 'Rancher',
  about: 'Clusters of Kubernetes',
  category: 'Infrastructure',
  protocol: 'oauth2',
  address: 'https://rancher.example.com',
  redirects: ['{address}/verify-auth'],
  where: 'Users & Authentication → Auth Provider → Generic OIDC',
  setup: `Client ID: {client_id}
Client Secret: {client_secret}
Issuer: {issuer}
Rancher URL: {address}`,
  docs: 'https://ranchermanager.docs.rancher.com/how-to-guides/new-user-guides/authentication-permissions-and-global-configuration/authentication-config/configure-generic-oidc',
  checked: { version: '068c3162', date: '2026-11-20', how: 'read' },
};
