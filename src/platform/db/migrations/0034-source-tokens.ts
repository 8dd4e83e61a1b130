import type { Migration } from '../migrate.ts';
import { createJoin } from '../table.ts';

/** Scope mappings that read the access tokens users have at OAuth sources, and the renewal of those tokens. */
export const sourceTokens: Migration = {
  name: '0034-source-tokens',
  statements: (dialect) => [
    ...createJoin(
      dialect,
      'mapping_scope_token_sources',
      ['mapping', 'uuid', 'property_mappings'],
      ['source', 'uuid', 'sources'],
    ),
    `alter table "user_connection_oauth" add column "renewing_until" ${dialect.columnType('time')}`,
    `alter table "user_connection_oauth" add column "renew_after" ${dialect.columnType('time')}`,
  ],
};
