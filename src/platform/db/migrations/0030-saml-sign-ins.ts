import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** People who sign in by SAML sources: users for one session, assertions that were used, sessions to end on both sides. */
export const samlSignIns: Migration = {
  name: '0030-saml-sign-ins',
  statements: (dialect) => [
    ...createTable(dialect, 'temporary_users', { pk: 'int key -> users cascade', expires: 'time index' }),
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
    `alter table "source_saml" add column "idp_issuer" ${dialect.columnType('text')} not null default ''`,
  ],
};
