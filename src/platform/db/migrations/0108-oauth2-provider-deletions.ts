import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

const insert = 'insert into oauth2_provider_deletions (pk) values (old.pk);';

/**
 * The OAuth2 providers that are gone and whose tokens are still there. A trigger writes them: providers also go with their
 * flow, by a cascade.
 */
export const oauth2ProviderDeletions: Migration = {
  name: '0108-oauth2-provider-deletions',
  statements: (dialect) => [
    ...createTable(dialect, 'oauth2_provider_deletions', { pk: 'int key' }),
    ...(dialect.name === 'sqlite'
      ? [`create trigger oauth2_provider_deleted after delete on provider_oauth2 begin ${insert} end`]
      : [
          `create function oauth2_provider_deleted() returns trigger language plpgsql as $$ begin ${insert}
            perform pg_notify('gatehouse_jobs', ''); return null; end $$`,
          `create trigger oauth2_provider_deleted after delete on provider_oauth2
            for each row execute function oauth2_provider_deleted()`,
        ]),
  ],
};
