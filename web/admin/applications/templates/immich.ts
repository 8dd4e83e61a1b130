import type { Template } from '../template.ts';

export const immich: Template = {
  id: 'immich',
  name: 'Immich',
  about: 'Photos and videos',
  category: 'Media and home',
  protocol: 'oauth2',
  address: 'https://photos.example.com',
  redirects: ['{address}/auth/login', '{address}/user-settings', 'app.immich:///oauth-callback'],
  where: 'Administration → Settings → OAuth authentication',
  setup: `Issuer URL: {discovery_url}
Client ID: {client_id}
Client secret: {client_secret}
Scope: openid email profile
Button text: Sign in with Gatehouse
Auto register: on`,
  docs: 'https://immich.app/docs/administration/oauth/',
  checked: { version: 'main', date: '2026-11-19', how: 'read' },
};
