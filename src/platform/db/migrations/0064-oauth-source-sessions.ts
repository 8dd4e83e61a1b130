import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** Sessions that end at an OAuth source too. Existing sources are not asked: they may not know our address. */
export const oauthSourceSessions: Migration = {
  name: '0064-oauth-source-sessions',
  statements: (dialect) => [
    ...createTable(
      dialect,
      'oauth_source_sessions',
      {
        pk: 'uuid key',
        session: 'uuid -> authenticated_sessions cascade',
        source: 'uuid -> sources cascade',
        sub: 'text',
        sid: 'text?',
        id_token: 'text',
      },
      { unique: [['session', 'source']], index: [['source', 'sub']] },
    ),
    ...createTable(
      dialect,
      'oauth_source_logout_tokens',
      { pk: 'uuid key', source: 'uuid -> sources cascade', token_hash: 'text', expires: 'time index' },
      { unique: [['source', 'token_hash']] },
    ),
    `alter table "source_oauth" add column "end_session_at_source" ${dialect.columnType('bool')} not null default ${
      dialect.name === 'sqlite' ? '0' : 'false'
    }`,
  ],
};
