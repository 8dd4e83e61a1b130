import type { Migration } from '../migrate.ts';

/**
 * A walk through a flow is read with the user whom it is about. And PostgreSQL leaves the files of tables whose rows live for minutes as
 * long as they have become: for a file that vacuum has cut to nothing it makes plans that read all of it, and keeps them while dead rows fill it.
 */
export const usersOfWalks: Migration = {
  name: '0044-users-of-walks',
  statements: (dialect) => [
    `alter table "flow_plans" add column "pending_user" ${dialect.columnType('int')}`,
    ...(dialect.name === 'postgres' ? ['flow_plans', 'sign_in_attempts'] : []).map(
      (table) => `alter table "${table}" set (vacuum_truncate = off)`,
    ),
  ],
};
