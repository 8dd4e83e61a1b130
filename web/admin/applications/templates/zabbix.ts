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
  logoutService: '{address}/index_sso.php?sls',
  where: 'Users → Authentication → SAML settings',
  setup: `IdP entity ID: {issuer}
SSO service URL: {sso_url}
Username attribute: http://schemas.microsoft.com/ws/2008/06/identity/claims/windowsaccountname
SP entity ID: zabbix
Enable JIT provisioning: yes, with a “Deprovisioned users group” on the tab Authentication
Configure JIT provisioning: yes
Group name attribute: http://schemas.xmlsoap.org/claims/Group
User name attribute: http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name
User group mapping: a group here to a group and role there
IdP certificate: in the metadata at {metadata_url}`,
  docs: 'https://www.zabbix.com/documentation/current/en/manual/web_interface/frontend_sections/users/authentication/saml',
};
