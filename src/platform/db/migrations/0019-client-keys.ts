import type { Migration } from '../migrate.ts';

/** The keys of OAuth2 clients, and the security profile that holds for them. */
export const clientKeys: Migration = {
  name: '0019-client-keys',
  statements: (dialect) => [
    `alter table "provider_oauth2" add column "jwks" ${dialect.columnType('json')} not null default '{}'`,
    `alter table "provider_oauth2" add column "jwks_uri" ${dialect.columnType('text')} not null default ''`,
    `alter table "provider_oauth2" add column "security_profile" ${dialect.columnType('text')} not null default 'standard'`,
    'create index "provider_oauth2_security_profile" on "provider_oauth2" ("security_profile")',
  ],
};
