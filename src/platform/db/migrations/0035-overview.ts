import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** The start page of administrators: what they have dismissed, the last backup, and the link of the first start. */
export const overview: Migration = {
  name: '0035-overview',
  statements: (dialect) => [
    ...createTable(
      dialect,
      'user_dismissals',
      { user: 'int -> users cascade', name: 'text' },
      { unique: [['user', 'name']] },
    ),
    `alter table "install" add column "last_backup" ${dialect.columnType('time')}`,
    `alter table "install" add column "first_link_hash" ${dialect.columnType('text')}`,
    `alter table "install" add column "first_link_user" ${dialect.columnType('int')}`,
    `alter table "install" add column "first_link_expires" ${dialect.columnType('time')}`,
  ],
};
