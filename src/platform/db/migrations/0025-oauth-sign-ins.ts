import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/**
 * People who are away at a source or have just come back, what OpenID sources publish, and the tokens they give out.
 */
export const oauthSignIns: Migration = {
  name: '0025-oauth-sign-ins',
  statements: (dialect) => [
    ...createTable(
      dialect,
      'source_visits',
      {
        pk: 'uuid key',
        token_hash: 'text',
        source: 'uuid -> sources cascade',
        content: 'text',
        network: 'text',
        created: 'time index',
        expires: 'time index',
      },
      { unique: [['token_hash']], index: [['network', 'created']] },
    ),
    `alter table "source_oauth" add column "oidc_discovered" ${dialect.columnType('json')} not null default '{}'`,
    `alter table "user_connection_oauth" add column "refresh_token" ${dialect.columnType('text')}`,
    `alter table "user_connection_oauth" add column "expires" ${dialect.columnType('time')}`,
  ],
};
