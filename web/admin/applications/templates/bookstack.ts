import type { Template } from '../template.ts';

export const bookstack: Template = {
  id: 'bookstack',
  name: 'BookStack',
  about: 'Handbooks in shelves',
  category: 'Knowledge and office',
  protocol: 'oauth2',
  address: 'https://books.example.com',
  redirects: ['{address}/oidc/callback'],
  where: '.env of BookStack',
  setup: `AUTH_METHOD=oidc
OIDC_NAME=Gatehouse
OIDC_DISPLAY_NAME_CLAIMS=name
OIDC_CLIENT_ID={client_id}
OIDC_CLIENT_SECRET={client_secret}
OIDC_ISSUER={issuer}
OIDC_ISSUER_DISCOVER=true
OIDC_END_SESSION_ENDPOINT=true
OIDC_USER_TO_GROUPS=true
OIDC_GROUPS_CLAIM=groups
{with_groups}# Settings → Roles: members of a group get the roles that have its name as external authentication ID.
# External authentication ID: {group}`,
  docs: 'https://www.bookstackapp.com/docs/admin/oidc-auth/',
  checked: { version: '2728c823', date: '2026-11-20', how: 'read' },
};
