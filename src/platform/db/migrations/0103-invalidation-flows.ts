import type { Migration } from '../migrate.ts';

/** The flow that people pass whom an application signs out; null: that of the brand. */
export const invalidationFlows: Migration = {
  name: '0103-invalidation-flows',
  statements: (dialect) => [
    `alter table "providers" add column "invalidation_flow" ${dialect.columnType('uuid')}
      references "flows" (pk) on delete set null`,
    'create index "providers_invalidation_flow" on "providers" ("invalidation_flow")',
  ],
};
