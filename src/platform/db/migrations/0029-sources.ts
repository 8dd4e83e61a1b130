import type { Migration } from '../migrate.ts';
import { addColumns, createJoin, createTable } from '../table.ts';

/**
 * Sign-in and single logout by SAML and OAuth sources, their access tokens for scope mappings, and rights of SCIM
 * sources.
 */
export const sources: Migration = {
  name: '0029-sources',
  statements: (dialect) => [
    // Users for one session.
    ...createTable(dialect, 'temporary_users', { pk: 'int key -> users cascade', expires: 'time index' }),
    ...addColumns(dialect, 'source_saml', { idp_issuer: "text default ''" }),
    ...createTable(
      dialect,
      'saml_source_assertions',
      { pk: 'uuid key', source: 'uuid -> sources cascade', assertion_hash: 'text', expires: 'time index' },
      { unique: [['source', 'assertion_hash']] },
    ),
    ...createTable(
      dialect,
      'saml_source_sessions',
      {
        pk: 'uuid key',
        session: 'uuid -> authenticated_sessions cascade',
        source: 'uuid -> sources cascade',
        name_id: 'text',
        session_index: 'text?',
        content: 'text',
      },
      { unique: [['session', 'source']], index: [['source', 'name_id']] },
    ),
    // Off for existing sources: our address may not be registered there.
    ...addColumns(dialect, 'source_oauth', { end_session_at_source: 'bool default false' }),
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
    // Scope mappings that read the access tokens of users at OAuth sources, and the renewal of those tokens.
    ...createJoin(
      dialect,
      'mapping_scope_token_sources',
      ['mapping', 'uuid', 'property_mappings'],
      ['source', 'uuid', 'sources'],
      { position: 'int default 0' },
    ),
    ...addColumns(dialect, 'user_connection_oauth', { renewing_until: 'time?', renew_after: 'time?' }),
    // Whether addresses count as verified, and whether users and groups that hold permissions may be changed.
    ...addColumns(dialect, 'source_scim', {
      trust_emails: 'bool default false',
      manages_privileged: 'bool default false',
    }),
  ],
};
