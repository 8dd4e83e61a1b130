import type { Migration } from '../migrate.ts';

/** SAML service providers may know people by their distinguished name; each sign-in checks that nobody else has it. */
export const distinguishedNames: Migration = {
  name: '0033-distinguished-names',
  statements: () => [
    `create index "users_distinguished_name" on "users" (lower(substr("attributes" ->> 'distinguishedName', 1, 255)))`,
  ],
};
