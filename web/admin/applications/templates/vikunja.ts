import type { Template } from '../template.ts';

export const vikunja: Template = {
  id: 'vikunja',
  name: 'Vikunja',
  about: 'Tasks and lists',
  category: 'Files and notes',
  protocol: 'oauth2',
  address: 'https://tasks.example.com',
  redirects: ['{address}/auth/openid/gatehouse'],
  signedOut: ['{address}/login'],
  where: 'config.yml',
  setup: `# Vikunja takes no providers from its environment alone.
auth:
  openid:
    enabled: true
    providers:
      gatehouse:
        name: Gatehouse
        authurl: "{issuer}"
        logouturl: "{logout_url}?post_logout_redirect_uri={address}/login"
        clientid: "{client_id}"
        clientsecret: "{client_secret}"
        scope: openid profile email`,
  docs: 'https://vikunja.io/docs/openid/',
  checked: { version: 'ea4f7f2c', date: '2026-11-20', how: 'read' },
};
