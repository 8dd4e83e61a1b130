import type { Template } from '../template.ts';

export const jellyfinLdap: Template = {
  id: 'jellyfin-ldap',
  name: 'Jellyfin (LDAP)',
  about: 'Films and music',
  category: 'Media and home',
  protocol: 'ldap',
  address: 'https://jellyfin.example.com',
  where: 'Dashboard → Plugins → LDAP Authentication',
  setup: `LDAP server: {ldap_host}
LDAP port: 636
Secure LDAP: on
LDAP base DN for searches: ou=users,{base_dn}
LDAP bind user: {bind_dn}
LDAP bind user password: the app password of the service account
LDAP user filter: (objectClass=inetOrgPerson)
LDAP admin filter: (memberOf=cn=jellyfin-admins,ou=groups,{base_dn})
LDAP search attributes: uid, mail
LDAP uid attribute: uid
LDAP username attribute: uid
Enable user creation: on`,
  docs: 'https://github.com/jellyfin/jellyfin-plugin-ldapauth',
};
