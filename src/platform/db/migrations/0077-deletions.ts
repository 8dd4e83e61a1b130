import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/**
 * What hangs on deleted users and providers by the hundred thousand is deleted by jobs: events of users listed here, and
 * tokens, which therefore name their provider without a foreign key.
 */
export const deletions: Migration = {
  name: '0077-deletions',
  statements: (dialect) => [
    ...createTable(dialect, 'user_deletions', { pk: 'int key', deleted: 'time' }),
    ...['oauth2_access_tokens', 'oauth2_refresh_tokens'].flatMap((table) => dropProviderKey(dialect, table)),
  ],
};

/** SQLite drops a foreign key only with its table. */
function dropProviderKey(dialect: Dialect, table: string): string[] {
  if (dialect.name === 'postgres') return [`alter table "${table}" drop constraint "${table}_provider_fkey"`];
  const rebuilt = `${table}_rebuilt`;
  const [create = ''] = createTable(dialect, rebuilt, tokenColumns, {});
  const [, ...indexes] = createTable(dialect, table, tokenColumns, tokenRules);
  return [
    create,
    `insert into "${rebuilt}" select * from "${table}"`,
    // Keys are never used again, even those of rows that are gone.
    `delete from sqlite_sequence where name = '${rebuilt}'`,
    `insert into sqlite_sequence (name, seq) select '${rebuilt}', seq from sqlite_sequence where name = '${table}'`,
    `drop table "${table}"`,
    `alter table "${rebuilt}" rename to "${table}"`,
    ...indexes,
  ];
}

const tokenColumns = {
  pk: 'serial',
  provider: 'int',
  user: 'int -> users cascade',
  session: 'uuid? -> authenticated_sessions cascade',
  created: 'time',
  auth_time: 'time',
  expires: 'time?',
  expiring: 'bool',
  scope: 'json',
  family: 'uuid index',
  terms: 'json',
  token_hash: 'text unique',
  id_token: 'text',
  revoked: 'bool',
};

const tokenRules = {
  index: [
    ['provider', 'expires', 'pk'],
    ['user', 'provider', 'expires', 'pk'],
  ],
  sparse: { session: [['session']] },
};
