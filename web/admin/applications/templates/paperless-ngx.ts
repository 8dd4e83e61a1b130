import type { Template } from '../template.ts';

export const paperlessNgx: Template = {
  id: 'paperless-ngx',
  name: 'Paperless-ngx',
  about: 'Scanned papers',
  category: 'Files and notes',
  protocol: 'oauth2',
  address: 'https://papers.example.com',
  redirects: ['{address}/accounts/oidc/gatehouse/login/callback/'],
  where: 'Environment of Paperless-ngx',
  setup: `PAPERLESS_APPS=allauth.socialaccount.providers.openid_connect
PAPERLESS_SOCIAL_AUTO_SIGNUP=true
PAPERLESS_SOCIALACCOUNT_ALLOW_SIGNUPS=true
PAPERLESS_SOCIALACCOUNT_PROVIDERS={"openid_connect":{"APPS":[{"provider_id":"gatehouse","name":"Gatehouse","client_id":"{client_id}","secret":"{client_secret}","settings":{"server_url":"{discovery_url}"}}]}}`,
  docs: 'https://docs.paperless-ngx.com/advanced_usage/#openid-connect-and-social-authentication',
  checked: { version: '00603781', date: '2026-11-20', how: 'read' },
};
