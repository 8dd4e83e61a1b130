import type { Template } from '../template.ts';

export const zulip: Template = {
  id: 'zulip',
  name: 'Zulip',
  about: 'Chat in topics',
  category: 'Communication',
  protocol: 'oauth2',
  address: 'https://zulip.example.com',
  redirects: ['{address}/complete/oidc/'],
  where: '/etc/zulip/settings.py; the secret goes into zulip-secrets.conf as social_auth_oidc_secret',
  setup: `AUTHENTICATION_BACKENDS = (
    'zproject.backends.GenericOpenIdConnectBackend',
    'zproject.backends.EmailAuthBackend',
)
SOCIAL_AUTH_OIDC_ENABLED_IDPS = {
    "gatehouse": {
        "oidc_url": "{issuer_bare}",
        "display_name": "Gatehouse",
        "client_id": "{client_id}",
        "secret": "{client_secret}",
        "auto_signup": True,
    }
}
# Otherwise new people confirm their names in a form.
SOCIAL_AUTH_OIDC_FULL_NAME_VALIDATED = True`,
  docs: 'https://zulip.readthedocs.io/en/latest/production/authentication-methods.html#openid-connect',
  checked: { version: 'f54bcfae', date: '2026-11-20', how: 'read' },
};
