import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** LDAP providers, and what their clients look people and groups up by. */
export const ldapProvider: Migration = {
  name: '0115-ldap-provider',
  statements: (dialect) => [
    ...createTable(dialect, 'provider_ldap', {
      pk: 'int key -> providers cascade',
      base_dn: 'text',
      base_key: 'text unique',
      certificate: 'uuid? -> certificates set null',
      tls_server_name: 'text',
      uid_start_number: 'int',
      gid_start_number: 'int',
      search_mode: 'text',
      bind_mode: 'text',
      mfa_support: 'bool',
      uid_source: 'text',
      accept_app_passwords: 'bool',
      published_attributes: 'json',
    }),
    // What they show in place of computed numbers.
    `create index "users_uid_number" on "users" (substr("attributes" ->> 'uidNumber', 1, 20))
      where "attributes" ->> 'uidNumber' is not null`,
    'create index "groups_name_lower" on "groups" (lower("name"))',
  ],
};
