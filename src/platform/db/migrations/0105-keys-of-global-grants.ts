import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** What the API calls global grants by; grants on objects have keys in their own tables. */
export const keysOfGlobalGrants: Migration = {
  name: '0105-keys-of-global-grants',
  statements: (dialect) =>
    (
      [
        ['user', 'int -> users cascade'],
        ['role', 'uuid -> roles cascade'],
      ] as const
    ).flatMap(([holder, column]) =>
      createTable(
        dialect,
        `${holder}_permission_keys`,
        { pk: 'serial', [holder]: column, permission: 'int -> permissions cascade' },
        { unique: [[holder, 'permission']] },
      ),
    ),
};
