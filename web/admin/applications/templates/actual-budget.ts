import type { Template } from '../template.ts';

export const actualBudget: Template = {
  id: 'actual-budget',
  name: 'Actual Budget',
  about: 'A household budget',
  category: 'Media and home',
  protocol: 'oauth2',
  address: 'https://budget.example.com',
  redirects: ['{address}/openid/callback'],
  where: 'Environment of Actual Budget',
  setup: `ACTUAL_OPENID_DISCOVERY_URL={discovery_url}
ACTUAL_OPENID_CLIENT_ID={client_id}
ACTUAL_OPENID_CLIENT_SECRET={client_secret}
ACTUAL_OPENID_SERVER_HOSTNAME={address}
# New people get an account; the first who signs in owns the server.
ACTUAL_USER_CREATION_MODE=login`,
  docs: 'https://actualbudget.org/docs/config/oauth-auth',
  checked: { version: '12585af1', date: '2026-11-20', how: 'read' },
};
