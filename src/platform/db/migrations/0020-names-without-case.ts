import type { Migration } from '../migrate.ts';

/** People sign in by their name or address, whatever case they type it in: no two differ in case alone. */
export const namesWithoutCase: Migration = {
  name: '0020-names-without-case',
  statements: () => [
    'create unique index "users_username_lower" on "users" (lower("username"))',
    `create unique index "users_email_lower" on "users" (lower("email")) where "email" <> ''`,
  ],
};
