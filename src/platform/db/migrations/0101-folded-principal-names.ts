import type { Migration } from '../migrate.ts';

/** The attribute `upn` by the key that names of users have. Users get it when their attributes are written. */
export const foldedPrincipalNames: Migration = {
  name: '0101-folded-principal-names',
  statements: (dialect) => [
    `alter table "users" add column "upn_key" ${dialect.columnType('text')}`,
    'create index "users_upn_key" on "users" ("upn_key") where "upn_key" is not null',
  ],
};
