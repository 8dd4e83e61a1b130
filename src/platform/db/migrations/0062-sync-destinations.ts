import type { Migration } from '../migrate.ts';

/**
 * Links of outgoing sync belong to one target: which one they were made at is stored beside them. When an object was created at the
 * target says how long a 404 may be a delay there.
 */
export const syncDestinations: Migration = {
  name: '0062-sync-destinations',
  statements: (dialect) => [
    `alter table "sync_targets" add column "destination" ${dialect.columnType('text')}`,
    `alter table "sync_objects" add column "created" ${dialect.columnType('time')}`,
  ],
};
