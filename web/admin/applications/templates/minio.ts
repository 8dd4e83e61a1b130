import type { Template } from '../template.ts';

export const minio: Template = {
  id: 'minio',
  name: 'MinIO',
  about: 'Object storage',
  category: 'Infrastructure',
  protocol: 'oauth2',
  address: 'https://minio.example.com',
  redirects: ['{address}/oauth_callback'],
  where: 'Environment of MinIO',
  setup: `MINIO_IDENTITY_OPENID_CONFIG_URL={discovery_url}
MINIO_IDENTITY_OPENID_CLIENT_ID={client_id}
MINIO_IDENTITY_OPENID_CLIENT_SECRET={client_secret}
MINIO_IDENTITY_OPENID_SCOPES=openid,profile,email
MINIO_BROWSER_REDIRECT_URL={address}
# What everybody may do who signs in. For policies named like groups: MINIO_IDENTITY_OPENID_CLAIM_NAME=groups instead.
MINIO_IDENTITY_OPENID_ROLE_POLICY=readonly`,
  docs: 'https://github.com/minio/minio/blob/master/docs/sts/web-identity.md',
  checked: { version: '9cb14c5f', date: '2026-11-20', how: 'read' },
};
