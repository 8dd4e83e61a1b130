import type { Template } from '../template.ts';

export const audiobookshelf: Template = {
  id: 'audiobookshelf',
  name: 'Audiobookshelf',
  about: 'Audiobooks and podcasts',
  category: 'Media and home',
  protocol: 'oauth2',
  address: 'https://books.example.com',
  redirects: ['{address}/auth/openid/callback', '{address}/auth/openid/mobile-redirect'],
  signedOut: ['{address}/login', '{address}/audiobookshelf/login'],
  where: 'Settings → Authentication → OpenID Connect',
  setup: `Issuer URL: {issuer}
Client ID: {client_id}
Client secret: {client_secret}
Match existing users by: username
Auto register: on`,
  docs: 'https://www.audiobookshelf.org/guides/oidc_authentication/',
};
