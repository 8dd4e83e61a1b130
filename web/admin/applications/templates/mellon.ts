import type { Template } from '../template.ts';

export const mellon: Template = {
  id: 'mellon',
  name: 'Apache (mod_auth_mellon)',
  about: 'A sign-in before any web site',
  category: 'Access',
  protocol: 'saml',
  address: 'https://www.example.com',
  acs: '{address}/mellon/postResponse',
  audience: '{address}/mellon/metadata',
  logoutService: '{address}/mellon/logout',
  where: 'In the virtual host of Apache',
  setup: `# Once, its key and the metadata of this server:
# mkdir -p /etc/apache2/mellon && cd /etc/apache2/mellon
# mellon_create_metadata {address}/mellon/metadata {address}/mellon
# mv http*.key sp.key && mv http*.cert sp.cert
# curl -o idp.xml {metadata_url}
<Location />
  MellonEnable auth
  MellonEndpointPath /mellon
  MellonSPentityId {address}/mellon/metadata
  MellonSPPrivateKeyFile /etc/apache2/mellon/sp.key
  MellonSPCertFile /etc/apache2/mellon/sp.cert
  MellonIdPMetadataFile /etc/apache2/mellon/idp.xml
  MellonUser http://schemas.microsoft.com/ws/2008/06/identity/claims/windowsaccountname
  AuthType Mellon
  Require valid-user
</Location>`,
  docs: 'https://github.com/latchset/mod_auth_mellon',
  checked: { version: '0.18.1', date: '2026-11-20', how: 'run' },
};
