import type { Template } from '../template.ts';

export const vikunja: Template = {
  id: 'vikunja',
  name: 'Vikunja',
  about: 'Tasks and lists',
  category: 'Files and notes',
  protocol: 'oauth2',
  address: 'https://tasks.example.com',
  redirects: ['{address}/auth/openid/gatehouse'],
  where: 'Environment of Vikunja',
  setup: `VIKUNJA_AUTH_OPENID_ENABLED=true
VIKUNJA_AUTH_OPENID_PROVIDERS_gatehouse_NAME=Gatehouse
VIKUNJA_AUTH_OPENID_PROVIDERS_gatehouse_AUTHURL={issuer}
VIKUNJA_AUTH_OPENID_PROVIDERS_gatehouse_CLIENTID={client_id}
VIKUNJA_AUTH_OPENID_PROVIDERS_gatehouse_CLIENTSECRET={client_secret}
VIKUNJA_AUTH_OPENID_PROVIDERS_gatehouse_SCOPE=openid profile email`,
  docs: 'https://vikunja.io/docs/',
};
