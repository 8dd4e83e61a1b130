import type { ResourceHint } from './hint.ts';

export const ldapSourceHint: ResourceHint = {
  // Passwords are written to one directory only, and addresses are verified by superusers.
  body: ({ number }) => ({
    server_uri: `ldaps://ldap-${number}.example.com`,
    base_dn: `DC=example${number},DC=com`,
    additional_user_dn: 'ou=users',
    additional_group_dn: 'ou=groups',
    user_object_filter: '(objectClass=person)',
    group_object_filter: '(objectClass=group)',
    group_membership_field: 'member',
    object_uniqueness_field: 'entryUUID',
    sync_users: false,
    sync_groups: false,
    sync_users_password: false,
    trust_emails: false,
  }),
};
