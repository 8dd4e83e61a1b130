import type { Migration } from '../migrate.ts';

/** Walks and visits of one IPv6 /56 and /48 are bounded together. */
export const rowsOfSites: Migration = {
  name: '0100-rows-of-sites',
  statements: (dialect) => [
    ...['flow_plans', 'source_visits'].flatMap((table) =>
      ['network_56', 'network_48'].flatMap((column) => [
        `alter table "${table}" add column "${column}" ${dialect.columnType('text')}`,
        `create index "${table}_${column}" on "${table}" ("${column}", "created") where "${column}" is not null`,
      ]),
    ),
  ],
};
