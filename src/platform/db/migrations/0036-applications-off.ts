import type { Migration } from '../migrate.ts';

/** Applications can be switched off without being deleted. */
export const applicationsOff: Migration = {
  name: '0036-applications-off',
  statements: (dialect) => [
    `alter table "applications" add column "enabled" ${dialect.columnType('bool')} not null default ${
      dialect.name === 'sqlite' ? '1' : 'true'
    }`,
  ],
};
