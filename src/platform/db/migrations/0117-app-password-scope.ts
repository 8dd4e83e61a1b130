import type { Migration } from '../migrate.ts';

/** App passwords may be limited to one application, and go with it: without it they would open all others. */
export const appPasswordScope: Migration = {
  name: '0117-app-password-scope',
  statements: (dialect) => [
    `alter table "tokens" add column "application" ${dialect.columnType('uuid')}
      references "applications" ("pk") on delete cascade`,
    'create index "tokens_application" on "tokens" ("application") where "application" is not null',
  ],
};
