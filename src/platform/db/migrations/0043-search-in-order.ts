import type { Migration } from '../migrate.ts';

/**
 * A page of users with a frequent name is read in the order of user names, and those with the name may all be at the end: reading
 * 1,000,000 users took 1.6 s, their names in this index take 0.1 s.
 */
export const searchInOrder: Migration = {
  name: '0043-search-in-order',
  statements: (dialect) => dialect.comparisonIndex('users', ['username', 'name', 'email']),
};
