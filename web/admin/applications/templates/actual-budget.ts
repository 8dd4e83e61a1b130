import type { Template } from '../template.ts';

export const actualBudget: Template = {
  id: 'actual-budget',
  name: 'Actual Budget',
  about: 'A household budget',
  category: 'Media and home',
  protocol: 'oauth2',
  address: 'https://budget.example.com',
  redirects: ['{address}/openid/callback'],
  where: 'config.json',
  setup: `"openId": {
  "discoveryURL": "{discovery_url}",
  "client_id": "{client_id}",
  "client_secret": "{client_secret}",
  "server_hostname": "{address}",
  "authMethod": "openid"
}`,
  docs: 'https://actualbudget.org/docs/config/oauth-auth',
};
