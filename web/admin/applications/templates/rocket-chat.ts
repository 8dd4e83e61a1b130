import type { Template } from '../template.ts';

export const rocketChat: Template = {
  id: 'rocket-chat',
  name: 'Rocket.Chat',
  about: 'Chat for teams',
  category: 'Communication',
  protocol: 'oauth2',
  address: 'https://chat.example.com',
  redirects: ['{address}/_oauth/gatehouse'],
  where: 'Administration → Settings → OAuth → Add custom OAuth “gatehouse”',
  setup: `Enable: on
URL: {root_url}
Token path: /application/o/token/
Token sent via: Payload
Identity token sent via: Header
Identity path: /application/o/userinfo/
Authorize path: /application/o/authorize/
Scope: openid profile email
ID: {client_id}
Secret: {client_secret}
Key field: Username
Username field: preferred_username
Name field: name
Email field: email
Roles/Groups field name: groups
Show button on login page: on`,
  docs: 'https://docs.rocket.chat/',
};
