import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** Work that is done beside requests, and the events that the rules are still to be asked about. */
export const jobs: Migration = {
  name: '0010-jobs',
  statements: (dialect) => [
    ...createTable(dialect, 'unmatched_events', { pk: 'serial', event: 'uuid' }),
    ...createTable(
      dialect,
      'jobs',
      {
        pk: 'uuid key',
        kind: 'text index',
        payload: 'json',
        unique_key: 'text? unique',
        /** Jobs with the same text here run one after the other. */
        alone: 'text?',
        state: 'text',
        run_at: 'time',
        attempt: 'int',
        worker: 'text?',
        lease_until: 'time?',
        created: 'time index',
        started: 'time?',
        finished: 'time? index',
        message: 'text',
      },
      {
        index: [
          ['state', 'run_at'],
          ['state', 'lease_until'],
          ['alone', 'state'],
        ],
      },
    ),
  ],
};
