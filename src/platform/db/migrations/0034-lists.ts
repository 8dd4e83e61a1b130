import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** Each is a prefix of a unique index on the same table. Tables in new databases do not have them. */
const duplicates = [
  'user_groups_user',
  'user_permissions_user',
  'role_permissions_role',
  'user_object_permissions_user',
  'role_object_permissions_role',
  'policy_bindings_policy',
  'source_user_property_mappings_source',
  'source_group_property_mappings_source',
  'provider_property_mappings_provider',
  'application_backchannel_providers_application',
  'notification_rule_transports_rule',
  'stage_webauthn_device_types_stage',
  'prompt_stage_fields_stage',
  'policy_validations_stage',
  'user_source_connections_source',
  'user_source_connections_user',
  'group_source_connections_source',
  'group_source_connections_group',
  'scim_source_users_source',
  'scim_source_groups_source',
  'provider_oauth2_jwks_sources_provider',
  'oauth2_published_keys_provider',
  'oauth2_client_accounts_provider',
  'provider_workspace_directory_group_mappings_provider',
  'user_consents_user',
  'stage_identification_sources_stage',
  'device_static_tokens_device',
  'stage_validate_configuration_stages_stage',
  'stage_validate_device_types_stage',
  'device_sms_stage',
  'device_twofactor_stage',
  'twofactor_enrolments_user',
];

/** No query needs these, and each makes every new or changed user slower: a sign-in changes `last_login`. */
const unused = [
  'users_last_login',
  'users_date_joined',
  'users_is_active_username',
  'users_lower_email',
  'users_username_lower',
  'users_lower_username',
];

/**
 * Counts of events for charts, one search index for each table, maintained on every write, and indexes of events and
 * users.
 */
export const lists: Migration = {
  name: '0034-lists',
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
    ...[...duplicates, ...unused].map((name) => `drop index if exists ${name}`),
    ...newestFirst('authorized_app', 'events_authorized_app_action_user_pk'),
    ...newestFirst('model_pk', 'events_model_pk'),
    ...newestFirst('model_app', 'events_model_app'),
    'create index events_brand_name_created on events (brand_name, created)',
    'drop index events_brand_name',
    ...narrowFilters(dialect),
  ],
};

const newestFirst = (column: string, replaced: string): string[] => [
  `create index events_${column}_created on events (${column}, created) where ${column} is not null`,
  `drop index ${replaced}`,
];

/**
 * Without statistics, SQLite assumes that all indexes are equally selective and prefers the one in the order of the
 * list: to find the events of a user it read all those of an action (15 s with 10,000,000 events). Fixed numbers, so
 * that plans are the same everywhere.
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
