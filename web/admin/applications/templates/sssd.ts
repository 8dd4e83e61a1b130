import type { Template } from '../template.ts';

export const sssd: Template = {
  id: 'sssd',
  name: 'sssd',
  about: 'Sign-in to Linux',
  category: 'Infrastructure',
  protocol: 'ldap',
  address: 'https://linux.example.com',
  hasNoPage: true,
  where: 'sssd.conf',
  setup: `[sssd]
services = nss, pam
domains = gatehouse

[domain/gatehouse]
id_provider = ldap
auth_provider = ldap
chpass_provider = ldap
ldap_uri = ldaps://{ldap_host}:636
ldap_schema = rfc2307bis
ldap_search_base = {base_dn}
ldap_user_search_base = ou=users,{base_dn}
ldap_default_bind_dn = {bind_dn}
ldap_default_authtok = the app password of the service account
ldap_user_object_class = posixAccount
ldap_user_name = uid
ldap_user_gecos = displayName
ldap_user_uuid = entryUUID
ldap_group_object_class = posixGroup
ldap_group_member = member
ldap_group_uuid = entryUUID`,
  docs: 'https://sssd.io/docs/',
  checked: { version: '2.8.2', date: '2026-11-19', how: 'run' },
};
