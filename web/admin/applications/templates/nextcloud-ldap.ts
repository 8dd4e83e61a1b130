import type { Template } from '../template.ts';

export const nextcloudLdap: Template = {
  id: 'nextcloud-ldap',
  name: 'Nextcloud (LDAP)',
  about: 'Files, calendars and calls',
  category: 'Files and notes',
  protocol: 'ldap',
  address: 'https://cloud.example.com',
  where: 'Administration settings → LDAP/AD integration',
  setup: `Server: ldaps://{ldap_host}, port 636
User DN: {bind_dn}
Password: the app password of the service account
Base DN: {base_dn}
Users, LDAP filter: (objectClass=inetOrgPerson)
Login attributes, LDAP filter: (&(objectClass=inetOrgPerson)(|(uid=%uid)(mail=%uid)))
Groups, LDAP filter: (objectClass=groupOfNames)
Advanced, base user tree: ou=users,{base_dn}
Advanced, base group tree: ou=groups,{base_dn}
Advanced, user display name field: displayName
Advanced, group-member association: member (AD)
Special attributes, email field: mail
Expert, internal username attribute: uid
Expert, UUID attribute for users and groups: entryUUID`,
  docs: 'https://docs.nextcloud.com/server/latest/admin_manual/configuration_user/user_auth_ldap.html',
  checked: { version: 'c92ef60d', date: '2026-11-20', how: 'read' },
};
