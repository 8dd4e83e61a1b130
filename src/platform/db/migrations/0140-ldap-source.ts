import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** LDAP sources, their mappings and the users that are linked to them. */
export const ldapSource: Migration = {
  name: '0140-ldap-source',
  statements: (dialect) => [
    ...createTable(dialect, 'source_ldap', {
      pk: 'uuid key -> sources cascade',
      server_uri: 'text',
      peer_certificate: 'uuid? -> certificates set null',
      verify_certificates: 'bool',
      client_certificate: 'uuid? -> certificates set null',
      start_tls: 'bool',
      sni: 'bool',
      bind_cn: 'text',
      bind_password: 'text',
      base_dn: 'text',
      additional_user_dn: 'text',
      additional_group_dn: 'text',
      user_object_filter: 'text',
      group_object_filter: 'text',
      group_membership_field: 'text',
      object_uniqueness_field: 'text',
      password_login_update_internal_password: 'bool',
      sync_users: 'bool',
      sync_users_password: 'bool',
      sync_groups: 'bool',
      sync_parent_group: 'uuid? -> groups set null',
      trust_emails: 'bool',
      delete_not_found_objects: 'bool',
      deletion_limit: 'int',
      connectivity: 'json?',
    }),
    ...createTable(dialect, 'mapping_source_ldap', { pk: 'uuid key -> property_mappings cascade' }),
    ...createTable(dialect, 'user_connection_ldap', { pk: 'int key -> user_source_connections cascade' }),
  ],
};
