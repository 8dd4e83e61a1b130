import type { Template } from '../template.ts';

export const wikiJs: Template = {
  id: 'wiki-js',
  name: 'Wiki.js',
  about: 'Wiki pages',
  category: 'Knowledge and office',
  protocol: 'oauth2',
  address: 'https://wiki.example.com',
  // Wiki.js shows the whole address, with the key of the strategy, once the strategy is added.
  redirects: ['{address}/login/STRATEGY/callback'],
  asksRedirect: true,
  where: 'Administration → Authentication → Add strategy → Generic OpenID Connect / OAuth2',
  setup: `Client ID: {client_id}
Client Secret: {client_secret}
Authorization Endpoint URL: {authorize_url}
Token Endpoint URL: {token_url}
User Info Endpoint URL: {userinfo_url}
Issuer: {issuer}
Email Claim: email
Map Groups: on
Groups Claim: groups
Logout URL: {logout_url}
Allow self-registration: on`,
  docs: 'https://docs.requarks.io/auth',
  checked: { version: '05c5024a', date: '2026-11-20', how: 'read' },
};
