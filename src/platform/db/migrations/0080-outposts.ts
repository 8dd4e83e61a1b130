import type { Migration } from '../migrate.ts';
import { createJoin, createTable } from '../table.ts';

/** Outposts and the providers that they serve. */
export const outposts: Migration = {
  name: '0080-outposts',
  statements: (dialect) => [
    ...createTable(dialect, 'outposts', {
      pk: 'uuid key',
      name: 'text unique',
      type: 'text',
      service_connection: 'uuid? -> service_connections set null',
      config: 'json',
      managed: 'text? unique',
    }),
    ...createJoin(dialect, 'outpost_providers', ['outpost', 'uuid', 'outposts'], ['provider', 'int', 'providers']),
  ],
};
