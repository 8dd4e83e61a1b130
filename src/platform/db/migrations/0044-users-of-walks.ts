import type { Migration } from '../migrate.ts';

/** A walk through a flow is read with the user whom it is about. */
export const usersOfWalks: Migration = {
  name: '0044-users-of-walks',
  statements: (dialect) => [`alter table "flow_plans" add column "pending_user" ${dialect.columnType('int')}`],
};
