import type { Template } from '../template.ts';

export const hedgedoc: Template = {
  id: 'hedgedoc',
  name: 'HedgeDoc',
  about: 'Notes that several write',
  category: 'Files and notes',
  protocol: 'oauth2',
  address: 'https://notes.example.com',
  redirects: ['{address}/auth/oauth2/callback'],
  where: 'Environment of HedgeDoc',
  setup: `CMD_OAUTH2_PROVIDERNAME=Gatehouse
CMD_OAUTH2_CLIENT_ID={client_id}
CMD_OAUTH2_CLIENT_SECRET={client_secret}
CMD_OAUTH2_AUTHORIZATION_URL={authorize_url}
CMD_OAUTH2_TOKEN_URL={token_url}
CMD_OAUTH2_USER_PROFILE_URL={userinfo_url}
CMD_OAUTH2_USER_PROFILE_USERNAME_ATTR=preferred_username
CMD_OAUTH2_USER_PROFILE_DISPLAY_NAME_ATTR=name
CMD_OAUTH2_USER_PROFILE_EMAIL_ATTR=email
CMD_OAUTH2_SCOPE=openid email profile`,
  docs: 'https://docs.hedgedoc.org/configuration/#oauth2-login',
  checked: { version: '0ebf0dbc', date: '2026-11-20', how: 'read' },
};
