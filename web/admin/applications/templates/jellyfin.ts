import type { Template } from '../template.ts';

export const jellyfin: Template = {
  id: 'jellyfin',
  name: 'Jellyfin',
  about: 'Films and music',
  category: 'Media and home',
  protocol: 'oauth2',
  address: 'https://media.example.com',
  redirects: ['{address}/sso/OID/redirect/gatehouse'],
  where: 'The plugin “SSO Authentication”, Add provider',
  setup: `Name of OpenID provider: gatehouse
OpenID endpoint: {issuer}
OpenID client ID: {client_id}
OpenID secret: {client_secret}
Enabled: yes
Enable authorization by plugin: yes
Enable all folders: yes
Role claim: groups
Roles: {group}
Request additional scopes: profile
Do not validate OpenID endpoints: yes
Scheme override: https`,
  docs: 'https://github.com/9p4/jellyfin-plugin-sso',
  checked: { version: '01866d81', date: '2026-11-20', how: 'read' },
};
