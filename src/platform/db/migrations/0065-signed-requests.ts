import type { Migration } from '../migrate.ts';

/** Clients may be bound to sign their requests for authorization (RFC 9101). */
export const signedRequests: Migration = {
  name: '0065-signed-requests',
  statements: (dialect) => [
    `alter table "provider_oauth2" add column "require_signed_request_object" ${dialect.columnType('bool')} not null default ${
      dialect.name === 'sqlite' ? '0' : 'false'
    }`,
  ],
};
