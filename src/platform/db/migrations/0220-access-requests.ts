import type { Migration } from '../migrate.ts';
import { addColumns } from '../table.ts';

/** Whether users without access to an application may ask for it. */
export const accessRequests: Migration = {
  name: '0220-access-requests',
  statements: (dialect) => addColumns(dialect, 'applications', { access_requests: 'bool default false' }),
};
