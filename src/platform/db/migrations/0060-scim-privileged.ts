import type { Migration } from '../migrate.ts';

/** Superusers decide whether a SCIM source may change users and groups that hold permissions. */
export const scimPrivileged: Migration = {
  name: '0060-scim-privileged',
  statements: (dialect) => [
    `alter table "source_scim" add column "manages_privileged" ${dialect.columnType('bool')} not null default ${
      dialect.name === 'sqlite' ? '0' : 'false'
    }`,
  ],
};
