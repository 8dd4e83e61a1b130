import type { Template } from '../template.ts';

export const mealie: Template = {
  id: 'mealie',
  name: 'Mealie',
  about: 'Recipes and meals',
  category: 'Media and home',
  protocol: 'oauth2',
  address: 'https://meals.example.com',
  redirects: ['{address}/login'],
  signedOut: ['{address}/login?direct=1', '{address}/login'],
  where: 'Environment of Mealie',
  setup: `# Users need a verified address.
OIDC_AUTH_ENABLED=true
OIDC_SIGNUP_ENABLED=true
OIDC_PROVIDER_NAME=Gatehouse
OIDC_CONFIGURATION_URL={discovery_url}
OIDC_CLIENT_ID={client_id}
OIDC_CLIENT_SECRET={client_secret}
OIDC_GROUPS_CLAIM=groups
OIDC_USER_GROUP={only_group}
# Members of this group become administrators:
# OIDC_ADMIN_GROUP=`,
  docs: 'https://docs.mealie.io/documentation/getting-started/authentication/oidc-v2/',
  checked: { version: '0601d2bc', date: '2026-11-20', how: 'read' },
};
