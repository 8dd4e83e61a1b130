import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** What notifications are made with. */
export const eventKinds: Migration = {
  name: '0004-events',
  statements: (dialect) => [
    ...createTable(dialect, 'mapping_notification', { pk: 'uuid key -> property_mappings cascade' }),
  ],
};
