import type { Migration } from '../migrate.ts';

/**
 * Every sign-in changes `last_login`. With an index on it PostgreSQL wrote all 19 indexes of the user anew, which was the most
 * expensive statement of a sign-in.
 */
export const lastLoginsApart: Migration = {
  name: '0045-last-logins-apart',
  statements: (dialect) => dialect.orderApart('users', 'last_login', 'user_logins'),
};
