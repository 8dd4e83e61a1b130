import type { Template } from '../template.ts';

export const apache: Template = {
  id: 'apache',
  name: 'Apache (mod_auth_openidc)',
  about: 'A sign-in before any web site',
  category: 'Access',
  protocol: 'oauth2',
  address: 'https://www.example.com',
  redirects: ['{address}/oidc/redirect_uri'],
  where: 'In the virtual host of Apache',
  setup: `OIDCProviderMetadataURL {discovery_url}
OIDCClientID {client_id}
OIDCClientSecret {client_secret}
OIDCRedirectURI {address}/oidc/redirect_uri
OIDCScope "openid profile email"
OIDCPKCEMethod S256
# The output of: openssl rand -hex 32
OIDCCryptoPassphrase
OIDCRemoteUserClaim preferred_username
<Location />
  AuthType openid-connect
{without_groups}  Require valid-user
  Require claim "groups:{group}"
</Location>`,
  docs: 'https://github.com/OpenIDC/mod_auth_openidc/wiki',
  checked: { version: '2.4.12.3', date: '2026-11-20', how: 'run' },
};
