import type { Template } from '../template.ts';

export const postfix: Template = {
  id: 'postfix',
  name: 'Postfix',
  about: 'Mail transport',
  category: 'Communication',
  protocol: 'ldap',
  address: 'https://mail.example.com',
  hasNoPage: true,
  where: 'ldap-users.cf',
  setup: `server_host = ldaps://{ldap_host}:636
version = 3
bind = yes
bind_dn = {bind_dn}
bind_pw = the app password of the service account
search_base = ou=users,{base_dn}
query_filter = (&(objectClass=inetOrgPerson)(mail=%s)(xak-active=TRUE))
result_attribute = uid`,
  docs: 'https://www.postfix.org/LDAP_README.html',
};
