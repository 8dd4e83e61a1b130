import type { Migration } from '../migrate.ts';

/** Each is the beginning of a unique index on the same table, which serves its queries. */
const needless = [
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
  'group_ancestors_group',
  'provider_scim_group_mappings_provider',
  'provider_cloud_directory_group_mappings_provider',
  'saml_source_assertions_source',
  'saml_source_sessions_session',
  'mapping_scope_token_sources_mapping',
  'user_dismissals_user',
];

/** Drops indexes that others stand in for: each one makes every write of its table slower. Events of a brand or of a part are found newest first. */
export const indexesOnce: Migration = {
  name: '0040-indexes-once',
  statements: () => [
    // New databases do not have them.
    ...needless.map((name) => `drop index if exists "${name}"`),
    'create index "events_brand_name_created" on "events" ("brand_name", "created")',
    'drop index "events_brand_name"',
    'create index "events_model_app_created" on "events" ("model_app", "created") where "model_app" is not null',
    'drop index "events_model_app"',
  ],
};
