import type { Template } from '../template.ts';

export const dovecot: Template = {
  id: 'dovecot',
  name: 'Dovecot',
  about: 'Mailboxes',
  category: 'Communication',
  protocol: 'ldap',
  address: 'https://mail.example.com',
  hasNoPage: true,
  where: 'dovecot-ldap.conf.ext',
  setup: `uris = ldaps://{ldap_host}:636
dn = {bind_dn}
dnpass = the app password of the service account
auth_bind = yes
base = ou=users,{base_dn}
pass_filter = (&(objectClass=inetOrgPerson)(|(uid=%n)(mail=%u)))
pass_attrs = uid=user
user_filter = (&(objectClass=inetOrgPerson)(|(uid=%n)(mail=%u)))
user_attrs = homeDirectory=home,uidNumber=uid,gidNumber=gid
iterate_filter = (&(objectClass=inetOrgPerson)(xak-active=TRUE))
iterate_attrs = uid=user`,
  docs: 'https://doc.dovecot.org/latest/',
  checked: { version: '2.3.19', date: '2026-11-19', how: 'run' },
};
