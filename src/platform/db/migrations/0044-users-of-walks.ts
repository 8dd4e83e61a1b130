import type { Migration } from '../migrate.ts';

/**
 * A walk through a flow is read with the user whom it is about. And PostgreSQL keeps walks in one piece: most are a little longer than
 * what it stores elsewhere (2 kB), and then each is written, found and deleted twice.
 */
export const usersOfWalks: Migration = {
  name: '0044-users-of-walks',
  statements: (dialect) => [
    `alter table "flow_plans" add column "pending_user" ${dialect.columnType('int')}`,
    ...(dialect.name === 'postgres' ? ['alter table "flow_plans" set (toast_tuple_target = 8160)'] : []),
  ],
};
