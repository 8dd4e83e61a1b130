import type { Migration } from '../migrate.ts';

/** Searches for two letters use the search indexes too, instead of reading the whole table. */
export const pairsOfLetters: Migration = {
  name: '0041-pairs-of-letters',
  statements: (dialect) => [
    ...dialect.pairIndex('users', ['username', 'name', 'email']),
    ...dialect.pairIndex('events', ['words']),
  ],
};
