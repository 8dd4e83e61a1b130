import type { Template } from '../template.ts';

export const pgadmin: Template = {
  id: 'pgadmin',
  name: 'pgAdmin',
  about: 'PostgreSQL in a browser',
  category: 'Infrastructure',
  protocol: 'oauth2',
  address: 'https://pgadmin.example.com',
  redirects: ['{address}/oauth2/authorize'],
  where: 'config_local.py',
  setup: `AUTHENTICATION_SOURCES = ['oauth2', 'internal']
OAUTH2_AUTO_CREATE_USER = True
OAUTH2_CONFIG = [{
    'OAUTH2_NAME': 'gatehouse',
    'OAUTH2_DISPLAY_NAME': 'Gatehouse',
    'OAUTH2_CLIENT_ID': '{client_id}',
    'OAUTH2_CLIENT_SECRET': '{client_secret}',
    'OAUTH2_SERVER_METADATA_URL': '{discovery_url}',
    'OAUTH2_AUTHORIZATION_URL': '{authorize_url}',
    'OAUTH2_TOKEN_URL': '{token_url}',
    'OAUTH2_API_BASE_URL': '{issuer}',
    'OAUTH2_USERINFO_ENDPOINT': '{userinfo_url}',
    'OAUTH2_SCOPE': 'openid email profile',
    'OAUTH2_ADDITIONAL_CLAIMS': {'groups': [{quoted_groups}]},
    'OAUTH2_LOGOUT_URL': '{logout_url}?post_logout_redirect_uri={redirect_uri}&id_token_hint={id_token}',
}]`,
  docs: 'https://www.pgadmin.org/docs/pgadmin4/latest/oauth2.html',
  checked: { version: '9.18', date: '2026-11-20', how: 'run' },
};
