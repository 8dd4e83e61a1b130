import type { Migration } from '../migrate.ts';
import { addColumns, createTable } from '../table.ts';

/** Join tables whose right side is an ordered list in the API. */
const orderedLists = [
  'application_backchannel_providers',
  'notification_rule_transports',
  'policy_validations',
  'prompt_stage_fields',
  'provider_oauth2_jwks_sources',
  'provider_property_mappings',
  'provider_workspace_directory_group_mappings',
  'source_group_property_mappings',
  'source_user_property_mappings',
  'stage_identification_sources',
  'stage_validate_configuration_stages',
  'stage_validate_device_types',
  'stage_webauthn_device_types',
];

/**
 * Flows and applications can be turned off, pending authorization requests, ordered references, and the state of the
 * server.
 */
export const flowsAndApplications: Migration = {
  name: '0028-flows-and-applications',
  statements: (dialect) => [
    ...addColumns(dialect, 'flows', { enabled: 'bool default true' }),
    ...addColumns(dialect, 'applications', { enabled: 'bool default true' }),
    // The flow for users whom an application signs out; null: the one of the brand.
    ...addColumns(dialect, 'providers', { invalidation_flow: 'uuid? -> flows set null' }),
    // Requests of applications that users have authorized, until they are answered, for any kind of provider.
    ...createTable(dialect, 'authorization_requests', {
      pk: 'uuid key',
      id_hash: 'text unique',
      provider: 'int -> providers cascade',
      user: 'int -> users cascade',
      session: 'uuid -> authenticated_sessions cascade',
      state: 'text',
      content: 'text',
      created: 'time',
      expires: 'time index',
    }),
    // Existing rows are equal and stay ordered by key.
    ...orderedLists.flatMap((table) => addColumns(dialect, table, { position: 'int default 0' })),
    // The last backup, the link of the first start, and whether this is a restored copy that must send nothing.
    ...addColumns(dialect, 'install', {
      last_backup: 'time?',
      first_link_hash: 'text?',
      first_link_user: 'int?',
      first_link_expires: 'time?',
      outgoing_held_since: 'time?',
    }),
    // The key pair that the server was set up with is identified by this mark, because another may get its name.
    `update "certificates" set "managed" = 'gatehouse/crypto/self-signed'
      where "name" = 'Gatehouse Self-signed Certificate' and "managed" is null`,
  ],
};
