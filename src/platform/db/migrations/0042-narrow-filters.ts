import type { Migration } from '../migrate.ts';

/**
 * SQLite takes every index for equally narrow as long as it has no statistics, and prefers one in the order of the list: to
 * find the events of a user it read all those of an action (15 s with 10,000,000 events). Fixed numbers, so that plans are
 * the same everywhere.
 */
export const narrowFilters: Migration = {
  name: '0042-narrow-filters',
  statements: (dialect) => [
    ...dialect.rowsPerValue('events', {
      sqlite_autoindex_events_1: [1],
      events_created: [1],
      events_expires: [1],
      events_username: [50],
      events_subject: [50],
      events_user_pk_created: [50, 1],
      events_client_ip_created: [200, 1],
      events_model_pk: [20],
      events_authorized_app_action_user_pk: [1_000, 900, 10],
      events_model_name_created: [20_000, 1],
      events_model_app_created: [50_000, 1],
      events_action_created: [50_000, 1],
      events_brand_name_created: [500_000, 1],
      events_words_end: [1_000],
    }),
    ...dialect.rowsPerValue('users', {
      sqlite_autoindex_users_1: [1],
      sqlite_autoindex_users_2: [1],
      users_username_lower: [1],
      users_email_lower: [1],
      users_lower_email: [1],
      users_email: [1],
      users_upn: [1],
      users_distinguished_name: [1],
      users_name: [5],
      users_last_login: [2],
      users_date_joined: [2],
      users_path_username: [20_000, 1],
      users_type_username: [300_000, 1],
      users_is_active_username: [500_000, 1],
      users_username_end: [1_000],
      users_name_end: [1_000],
      users_email_end: [1_000],
    }),
  ],
};
