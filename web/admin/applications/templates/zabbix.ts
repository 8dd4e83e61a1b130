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
SLO service URL: {slo_url}
Username attribute: http://schemas.microsoft.com/ws/2008/06/identity/claims/windowsaccountname
SP entity ID: zabbix
IdP certificate: here, or in the file conf/certs/idp.crt if Zabbix does not ask for it
Enable JIT provisioning: yes, with a “Deprovisioned users group” on the tab Authentication
Configure JIT provisioning: yes
Group name attribute: http://schemas.xmlsoap.org/claims/Group
User name attribute: http://schemas.xmlsoap.org/ws/2005/05/identity/claims/name
User group mapping: a group here to a group and role there`,
  docs: 'https://www.zabbix.com/documentation/current/en/manual/web_interface/frontend_sections/users/authentication/saml',
  checked: { version: '7.0.22', date: '2026-11-20', how: 'run' },
};
