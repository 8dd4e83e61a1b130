import type { Template } from '../template.ts';

export const pfsense: Template = {
  id: 'pfsense',
  name: 'pfSense',
  about: 'Firewall and VPN',
  category: 'Infrastructure',
  protocol: 'ldap',
  address: 'https://firewall.example.com',
  where: 'System → User Manager → Authentication Servers',
  setup: `Type: LDAP
Hostname or IP address: {ldap_host}
Port value: 636
Transport: SSL/TLS Encrypted
Protocol version: 3
Search scope: Entire Subtree
Base DN: {base_dn}
Authentication containers: ou=users,{base_dn}
Bind anonymous: off
Bind credentials: {bind_dn}, the app password of the service account
User naming attribute: uid
Group naming attribute: cn
Group member attribute: memberOf
Group object class: groupOfNames
RFC 2307 groups: off`,
  docs: 'https://docs.netgate.com/pfsense/en/latest/usermanager/ldap.html',
};
