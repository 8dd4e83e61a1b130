import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** How often something has happened on all instances together, for limits. */
export const sharedCounts: Migration = {
  name: '0022-shared-counts',
  statements: (dialect) =>
    createTable(dialect, 'shared_counts', { pk: 'text key', count: 'int', expires: 'time index' }),
};
