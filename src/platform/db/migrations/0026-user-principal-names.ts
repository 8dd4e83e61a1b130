import type { Migration } from '../migrate.ts';

/** Clients may know people by their `upn`: whether anybody else has the same one is asked whenever tokens are issued. */
export const userPrincipalNames: Migration = {
  name: '0026-user-principal-names',
  statements: () => [`create index "users_upn" on "users" (lower(substr("attributes" ->> 'upn', 1, 255)))`],
};
