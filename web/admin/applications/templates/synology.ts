import type { Template } from '../template.ts';

export const synology: Template = {
  id: 'synology',
  name: 'Synology DSM',
  about: 'Network storage',
  category: 'Files and notes',
  protocol: 'ldap',
  address: 'https://nas.example.com:5001',
  where: 'Control Panel → Domain/LDAP → Join',
  setup: `Server type: LDAP server
Server address: {ldap_host}
Encryption: SSL/TLS
Bind DN: {bind_dn}
Password: the app password of the service account
Base DN: {base_dn}
Profile: Custom
passwd, uid: uid
passwd, uidNumber: uidNumber
passwd, gidNumber: gidNumber
group, cn: cn
group, gidNumber: gidNumber
group, memberUid: memberUid`,
  docs: 'https://kb.synology.com/',
};
