import type { Template } from '../template.ts';

export const jenkins: Template = {
  id: 'jenkins',
  name: 'Jenkins',
  about: 'Builds and pipelines',
  category: 'Development',
  protocol: 'oauth2',
  address: 'https://jenkins.example.com',
  redirects: ['{address}/securityRealm/finishLogin'],
  signedOut: ['{address}/OicLogout'],
  where: 'Manage Jenkins, Security, with the plugin “OpenID Connect Authentication”',
  setup: `Client id: {client_id}
Client secret: {client_secret}
Configuration mode: Discovery via well-known endpoint
Well-known configuration endpoint: {discovery_url}
Scopes: openid email profile
User name field name: preferred_username
Groups field name: groups`,
  docs: 'https://plugins.jenkins.io/oic-auth/',
  checked: { version: '0847e004', date: '2026-11-20', how: 'read' },
};
