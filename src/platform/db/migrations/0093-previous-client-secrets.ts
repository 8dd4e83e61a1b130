import type { Migration } from '../migrate.ts';

/** The client secret before the last rotation, and until when it is still accepted. */
export const previousClientSecrets: Migration = {
  name: '0093-previous-client-secrets',
  statements: (dialect) => [
    `alter table "provider_oauth2" add column "previous_secret" ${dialect.columnType('text')} not null default ''`,
    `alter table "provider_oauth2" add column "previous_secret_expires" ${dialect.columnType('time')}`,
  ],
};
