import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** Filters, order and columns of lists that administrators saved under a name. */
export const savedViews: Migration = {
  name: '0210-saved-views',
  statements: (dialect) =>
    createTable(
      dialect,
      'saved_views',
      { pk: 'uuid key', user: 'int -> users cascade', list: 'text', name: 'text', query: 'text', columns: 'json?' },
      { unique: [['user', 'list', 'name']] },
    ),
};
