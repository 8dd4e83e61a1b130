import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migrate.ts';
import { addColumns, createJoin, createTable } from '../table.ts';

/**
 * Signing algorithms, rotated client secrets, resources and audiences of tokens, and the deletion of providers by a
 * job.
 */
export const oauth2: Migration = {
  name: '0030-oauth2',
  statements: (dialect) => [
    ...addColumns(dialect, 'provider_oauth2', {
      // A provider without a signing key uses the one of the server.
      id_token_signed_response_alg: "text default 'auto'",
      require_signed_request_object: 'bool default false',
      // The client secret before the last rotation, and until when it is accepted.
      previous_secret: "text default ''",
      previous_secret_expires: 'time?',
      resources: "json default '[]'",
    }),
    // Existing providers without a key keep signing by the client secret.
    `update provider_oauth2 set id_token_signed_response_alg = 'HS256' where signing_key is null`,
    ...createJoin(
      dialect,
      'provider_oauth2_audience_clients',
      ['provider', 'int', 'provider_oauth2'],
      ['client', 'int', 'provider_oauth2'],
      { position: 'int default 0' },
    ),
    // Tokens, which can be hundreds of thousands, are deleted by a job after their provider; hence without a foreign
    // key.
    ...['oauth2_access_tokens', 'oauth2_refresh_tokens'].flatMap((table) => dropProviderKey(dialect, table)),
    ...createTable(dialect, 'oauth2_provider_deletions', { pk: 'int key' }),
    ...deletionTrigger(dialect),
  ],
};

const insert = 'insert into oauth2_provider_deletions (pk) values (old.pk);';

/** A trigger, because providers are also deleted with their flow, by a cascade. */
const deletionTrigger = (dialect: Dialect): string[] =>
  dialect.name === 'sqlite'
    ? [`create trigger oauth2_provider_deleted after delete on provider_oauth2 begin ${insert} end`]
    : [
        `create function oauth2_provider_deleted() returns trigger language plpgsql as $$ begin ${insert}
          perform pg_notify('gatehouse_jobs', ''); return null; end $$`,
        `create trigger oauth2_provider_deleted after delete on provider_oauth2
          for each row execute function oauth2_provider_deleted()`,
      ];

/** SQLite drops a foreign key only with its table. */
function dropProviderKey(dialect: Dialect, table: string): string[] {
  if (dialect.name === 'postgres') return [`alter table "${table}" drop constraint "${table}_provider_fkey"`];
  const rebuilt = `${table}_rebuilt`;
  const [create = ''] = createTable(dialect, rebuilt, tokenColumns, {});
  const [, ...indexes] = createTable(dialect, table, tokenColumns, tokenRules);
  return [
    create,
    `insert into "${rebuilt}" select * from "${table}"`,
    // Keys are never reused, even those of deleted rows.
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
