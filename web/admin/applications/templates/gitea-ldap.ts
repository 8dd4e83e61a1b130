import type { Template } from '../template.ts';

export const giteaLdap: Template = {
  id: 'gitea-ldap',
  name: 'Gitea (LDAP)',
  about: 'Source code, small and fast',
  category: 'Development',
  protocol: 'ldap',
  address: 'https://gitea.example.com',
  where: 'Site administration → Authentication sources → Add',
  setup: `Authentication type: LDAP (via BindDN)
Security protocol: LDAPS
Host: {ldap_host}
Port: 636
Bind DN: {bind_dn}
Bind password: the app password of the service account
User search base: ou=users,{base_dn}
User filter: (&(objectClass=inetOrgPerson)(|(uid=%[1]s)(mail=%[1]s)))
Admin filter: (memberOf=cn=gitea-admins,ou=groups,{base_dn})
Username attribute: uid
First name attribute: displayName
Email attribute: mail
Use paged search: on`,
  docs: 'https://docs.gitea.com/administration/authentication',
  checked: { version: '1.25.5', date: '2026-11-20', how: 'read' },
};
