import type { Template } from '../template.ts';

export const audiobookshelf: Template = {
  id: 'audiobookshelf',
  name: 'Audiobookshelf',
  about: 'Audiobooks and podcasts',
  category: 'Media and home',
  protocol: 'oauth2',
  address: 'https://books.example.com',
  // Where the redirect URLs have a subfolder, which is the default, and where they have none.
  redirects: [
    '{address}/auth/openid/callback',
    '{address}/auth/openid/mobile-redirect',
    '{address}/audiobookshelf/auth/openid/callback',
    '{address}/audiobookshelf/auth/openid/mobile-redirect',
  ],
  signedOut: ['{address}/login', '{address}/audiobookshelf/login'],
  where: 'Settings → Authentication → OpenID Connect',
  setup: `Issuer URL: {issuer}, then Auto-populate
Client ID: {client_id}
Client secret: {client_secret}
Match existing users by: username
Auto register: on`,
  docs: 'https://docs.audiobookshelf.org/docs/documentation/server-management/oidc-authentication',
  checked: { version: 'latest', date: '2026-11-20', how: 'read' },
};
