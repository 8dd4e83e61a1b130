import type { Template } from '../template.ts';

export const nextcloud: Template = {
  id: 'nextcloud',
  name: 'Nextcloud',
  about: 'Files, calendars and calls',
  category: 'Files and notes',
  protocol: 'oauth2',
  address: 'https://cloud.example.com',
  redirects: ['{address}/apps/user_oidc/code'],
  backchannel: '{address}/apps/user_oidc/backchannel-logout/Gatehouse',
  where: 'On the server of Nextcloud, with the app “OpenID Connect user backend”',
  setup: `occ user_oidc:provider Gatehouse \\
  --clientid="{client_id}" \\
  --clientsecret="{client_secret}" \\
  --discoveryuri="{discovery_url}" \\
  --scope="openid email profile" \\
  --mapping-uid=preferred_username --unique-uid=0 \\
  --group-whitelist-regex='^({any_group})$' --group-restrict-login-to-whitelist=1 \\
  --mapping-groups=groups --group-provisioning=1`,
  docs: 'https://github.com/nextcloud/user_oidc',
  checked: { version: '0590bb1a', date: '2026-11-20', how: 'read' },
};
