import type { Template } from '../template.ts';

export const proxmoxLdap: Template = {
  id: 'proxmox-ldap',
  name: 'Proxmox VE (LDAP)',
  about: 'Virtual machines and containers',
  category: 'Infrastructure',
  protocol: 'ldap',
  address: 'https://proxmox.example.com:8006',
  where: 'Datacenter → Permissions → Realms → Add → LDAP Server',
  setup: `Realm: gatehouse
Base domain name: ou=users,{base_dn}
User attribute name: uid
Server: {ldap_host}
Port: 636
Mode: LDAPS
Sync, bind user: {bind_dn}
Sync, bind password: the app password of the service account
Sync, email attribute: mail
Sync, group name attribute: cn
Sync, user classes: inetOrgPerson
Sync, group classes: groupOfNames`,
  docs: 'https://pve.proxmox.com/wiki/User_Management',
};
