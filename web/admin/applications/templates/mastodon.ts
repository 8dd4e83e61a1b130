import type { Template } from '../template.ts';

export const mastodon: Template = {
  id: 'mastodon',
  name: 'Mastodon',
  about: 'Short messages between servers',
  category: 'Communication',
  protocol: 'oauth2',
  address: 'https://social.example.com',
  redirects: ['{address}/auth/auth/openid_connect/callback'],
  where: 'Environment of Mastodon',
  setup: `OIDC_ENABLED=true
OIDC_DISPLAY_NAME=Gatehouse
OIDC_DISCOVERY=true
OIDC_ISSUER={issuer}
OIDC_SCOPE=openid,profile,email
OIDC_UID_FIELD=preferred_username
OIDC_CLIENT_ID={client_id}
OIDC_CLIENT_SECRET={client_secret}
OIDC_REDIRECT_URI={address}/auth/auth/openid_connect/callback
OIDC_USE_PKCE=true
# Users need a verified address; otherwise Mastodon sends them a mail.
# OIDC_SECURITY_ASSUME_EMAIL_IS_VERIFIED=true`,
  docs: 'https://docs.joinmastodon.org/admin/config/',
  checked: { version: '0665a9dc', date: '2026-11-20', how: 'read' },
};
