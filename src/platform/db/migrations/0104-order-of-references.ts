import type { Migration } from '../migrate.ts';

/** Where an object stands among those that a row refers to; equal in rows from before, which go by key. */
export const orderOfReferences: Migration = {
  name: '0104-order-of-references',
  statements: (dialect) =>
    [
      'application_backchannel_providers',
      'mapping_scope_token_sources',
      'notification_rule_transports',
      'outpost_providers',
      'policy_validations',
      'prompt_stage_fields',
      'provider_cloud_directory_group_mappings',
      'provider_oauth2_audience_clients',
      'provider_oauth2_jwks_sources',
      'provider_property_mappings',
      'provider_scim_group_mappings',
      'provider_workspace_directory_group_mappings',
      'source_group_property_mappings',
      'source_user_property_mappings',
      'stage_identification_sources',
      'stage_validate_configuration_stages',
      'stage_validate_device_types',
      'stage_webauthn_device_types',
    ].map((table) => `alter table "${table}" add column "position" ${dialect.columnType('int')} not null default 0`),
};
