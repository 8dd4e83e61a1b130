import type { Migration } from '../migrate.ts';

/** Few users have these attributes, so the others need no entry. Queries that compare the attribute still use the index. */
const sparse = ([name, attribute]: readonly [string, string]): string[] => {
  const value = `lower(substr("attributes" ->> '${attribute}', 1, 255))`;
  return [`drop index "${name}"`, `create index "${name}" on "users" (${value}) where ${value} is not null`];
};

/** Drops indexes of users that no query needs: each one makes every new and changed user slower. */
export const fewerIndexes: Migration = {
  name: '0038-fewer-indexes',
  statements: () => [
    // The unique index on the same expression serves its queries.
    'drop index "users_lower_username"',
    ...(
      [
        ['users_upn', 'upn'],
        ['users_distinguished_name', 'distinguishedName'],
      ] as const
    ).flatMap(sparse),
  ],
};
