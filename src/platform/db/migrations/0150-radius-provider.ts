import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** RADIUS providers and their mappings. */
export const radiusProvider: Migration = {
  name: '0150-radius-provider',
  statements: (dialect) => [
    ...createTable(dialect, 'provider_radius', {
      pk: 'int key -> providers cascade',
      client_networks: 'text',
      shared_secret: 'text',
      mfa_support: 'bool',
      accept_app_passwords: 'bool',
      require_message_authenticator: 'bool',
    }),
    ...createTable(dialect, 'mapping_radius', { pk: 'uuid key -> property_mappings cascade' }),
  ],
};
