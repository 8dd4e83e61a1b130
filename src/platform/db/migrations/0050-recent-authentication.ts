import type { Migration } from '../migrate.ts';

/** When the user of a session last proved who they are. Unknown for sessions that exist: their users sign in again where it matters. */
export const recentAuthentication: Migration = {
  name: '0050-recent-authentication',
  statements: (dialect) => [
    `alter table "authenticated_sessions" add column "proven_at" ${dialect.columnType('time')}`,
  ],
};
