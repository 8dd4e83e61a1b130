import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** No query needs these, and each makes every new or changed user slower: a sign-in changes `last_login`. */
const needless = [
  'users_last_login',
  'users_date_joined',
  'users_is_active_username',
  'users_lower_email',
  'users_username_lower',
];

/** Counts of events for charts, one search index of a table that all its writes maintain, and fewer indexes of users. */
export const eventRollup: Migration = {
  name: '0110-event-rollup',
  statements: (dialect) => [
    ...createTable(
      dialect,
      'event_rollup',
      { unit: 'text', start: 'text', action: 'text', authorized_app: 'text', events: 'big' },
      { unique: [['unit', 'start', 'action', 'authorized_app']] },
    ),
    ...createTable(dialect, 'event_rollup_state', { pk: 'int key', until: 'time' }),
    `insert into event_rollup_state (pk, until) values (1, '0001-01-01T00:00:00.000000Z')`,
    ...['username', 'name', 'email'].map((column) => `drop index if exists users_${column}_search`),
    ...dialect.searchIndex('users', ['username', 'name', 'email']),
    ...dialect.searchIndex('events', ['words']),
    ...needless.map((name) => `drop index if exists ${name}`),
    'create index events_authorized_app_created on events (authorized_app, created) where authorized_app is not null',
    'drop index if exists events_authorized_app_action_user_pk',
    'create index events_model_pk_created on events (model_pk, created) where model_pk is not null',
    'drop index if exists events_model_pk',
    ...narrowFilters(dialect),
  ],
};

/**
 * SQLite takes every index for equally narrow as long as it has no statistics, and prefers one in the order of the list: to
 * find the events of a user it read all those of an action (15 s with 10,000,000 events). Fixed numbers, so that plans are
 * the same everywhere.
 */
const narrowFilters = (dialect: Dialect): string[] => [
  ...dialect.rowsPerValue('events', {
    sqlite_autoindex_events_1: [1],
    events_created: [1],
    events_expires: [1],
    events_username: [50],
    events_subject: [50],
    events_user_pk_created: [50, 1],
    events_client_ip_created: [200, 1],
    events_model_pk_created: [20, 1],
    events_authorized_app_created: [1_000, 1],
    events_model_name_created: [20_000, 1],
    events_model_app_created: [50_000, 1],
    events_action_created: [50_000, 1],
    events_brand_name_created: [500_000, 1],
  }),
  ...dialect.rowsPerValue('users', {
    sqlite_autoindex_users_1: [1],
    sqlite_autoindex_users_2: [1],
    users_by_username_key: [1, 1],
    users_by_email_key: [1, 1],
    users_upn: [1],
    users_upn_key: [1],
    users_distinguished_name: [1],
    users_name: [5],
    users_email: [1],
    users_path_username: [20_000, 1],
    users_type_username: [300_000, 1],
  }),
];
