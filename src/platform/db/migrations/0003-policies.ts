import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** The kinds of policy. */
export const policyKinds: Migration = {
  name: '0003-policies',
  statements: (dialect) => [
    ...createTable(dialect, 'policy_password_expiry', {
      pk: 'uuid key -> policies cascade',
      days: 'int',
      deny_only: 'bool',
    }),
  ],
};
