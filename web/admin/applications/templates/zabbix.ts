import type { Template } from '../template.ts';

export const zabbix: Template = {
  id: 'zabbix',
  name: 'Zabbix',
  about: 'Monitoring',
  category: 'Infrastructure',
  protocol: 'saml',
  address: 'https://zabbix.example.com',
  acs: '{address}/index_sso.php?acs',
  audience: 'zabbix',
  where: 'Users → Authentication → SAML settings',
  setup: `IdP entity ID: {issuer}
SSO service URL: {sso_url}
Username attribute: http://schemas.microsoft.com/ws/2008/06/identity/claims/windowsaccountname
SP entity ID: zabbix
IdP certificate: in the metadata at {metadata_url}`,
};
