import type { Migration } from '../migrate.ts';
import { createJoin } from '../table.ts';

/** What clients may ask tokens for: resources that their provider lists, and providers that list their client. */
export const oauth2Targets: Migration = {
  name: '0061-oauth2-targets',
  statements: (dialect) => [
    `alter table "provider_oauth2" add column "resources" ${dialect.columnType('json')} not null default '[]'`,
    ...createJoin(
      dialect,
      'provider_oauth2_audience_clients',
      ['provider', 'int', 'provider_oauth2'],
      ['client', 'int', 'provider_oauth2'],
    ),
  ],
};
