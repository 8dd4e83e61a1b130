import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** Where outposts are deployed, which outlives the outposts until it is removed; and what connections were like. */
export const outpostDeployments: Migration = {
  name: '0190-outpost-deployments',
  statements: (dialect) => [
    ...createTable(
      dialect,
      'outpost_deployments',
      {
        pk: 'uuid key',
        outpost: 'uuid',
        connection: 'uuid -> service_connections cascade',
        place: 'text',
        state: 'text',
        message: 'text',
        failures: 'int default 0',
        checked: 'time',
      },
      { unique: [['outpost', 'connection', 'place']] },
    ),
    ...createTable(dialect, 'connection_states', {
      pk: 'uuid key -> service_connections cascade',
      healthy: 'bool',
      version: 'text',
      checked: 'time',
    }),
  ],
};
