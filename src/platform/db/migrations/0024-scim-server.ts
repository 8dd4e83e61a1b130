import type { Migration } from '../migrate.ts';

/** What the SCIM server knows of its records, and tokens that are good for one purpose alone. */
export const scimServer: Migration = {
  name: '0024-scim-server',
  statements: (dialect) => {
    const add = (table: string, column: string, type: string) =>
      `alter table "${table}" add column "${column}" ${type}`;
    const text = dialect.columnType('text');
    const time = dialect.columnType('time');
    const no = `${dialect.columnType('bool')} not null default ${dialect.name === 'sqlite' ? '0' : 'false'}`;
    return [
      add('tokens', 'audience', text),
      `update tokens set audience = managed where managed like 'gatehouse/sources/scim/%'`,
      ...['scim_source_users', 'scim_source_groups'].flatMap((table) => [
        add(table, 'external_id', text),
        add(table, 'is_own', no),
        add(table, 'created', time),
        add(table, 'last_updated', time),
        `update ${table} set external_id = id`,
        `create unique index "${table}_source_external_id" on "${table}" ("source", "external_id")`,
      ]),
    ];
  },
};
