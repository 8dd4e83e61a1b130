import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** The kinds of stage and what they are made of, and uploaded images. */
export const stageKinds: Migration = {
  name: '0005-stages',
  statements: (dialect) => [
    ...createTable(dialect, 'media', { pk: 'uuid key', type: 'text', bytes: 'text', sha256: 'text', created: 'time' }),
  ],
};
