import type { Migration } from '../migrate.ts';

/** LDAP clients look up primary groups by number. */
export const groupNumbers: Migration = {
  name: '0116-group-numbers',
  statements: () => [
    `create index "users_gid_number" on "users" (substr("attributes" ->> 'gidNumber', 1, 20))
      where "attributes" ->> 'gidNumber' is not null`,
  ],
};
