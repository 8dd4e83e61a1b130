import type { Template } from '../template.ts';

export const seafile: Template = {
  id: 'seafile',
  name: 'Seafile',
  about: 'Files and folders',
  category: 'Files and notes',
  protocol: 'oauth2',
  address: 'https://files.example.com',
  redirects: ['{address}/oauth/callback/'],
  where: 'seahub_settings.py',
  setup: `ENABLE_OAUTH = True
OAUTH_CLIENT_ID = '{client_id}'
OAUTH_CLIENT_SECRET = '{client_secret}'
OAUTH_REDIRECT_URL = '{address}/oauth/callback/'
OAUTH_PROVIDER_DOMAIN = 'gatehouse'
OAUTH_AUTHORIZATION_URL = '{authorize_url}'
OAUTH_TOKEN_URL = '{token_url}'
OAUTH_USER_INFO_URL = '{userinfo_url}'
OAUTH_SCOPE = ['openid', 'profile', 'email']
OAUTH_ATTRIBUTE_MAP = {
    'sub': (True, 'uid'),
    'name': (False, 'name'),
    'email': (False, 'contact_email'),
}`,
  docs: 'https://manual.seafile.com/latest/config/oauth/',
  checked: { version: '48867bb2', date: '2026-11-20', how: 'read' },
};
