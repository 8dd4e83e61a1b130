import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** Outposts that run as processes of their own: their accounts and tokens, and the processes that reported lately. */
export const outpostProcesses: Migration = {
  name: '0175-outpost-processes',
  statements: (dialect) => [
    ...reference(dialect, 'account', 'int', 'users'),
    ...reference(dialect, 'token', 'uuid', 'tokens'),
    ...dialect.dropAlong('outposts', 'account', 'users'),
    ...createTable(
      dialect,
      'outpost_instances',
      {
        pk: 'uuid key',
        outpost: 'uuid -> outposts cascade',
        uid: 'text',
        version: 'text',
        hostname: 'text',
        openssl_version: 'text',
        last_seen: 'time',
        expires: 'time index',
      },
      { unique: [['outpost', 'uid']] },
    ),
  ],
};

const reference = (dialect: Dialect, column: string, type: 'int' | 'uuid', table: string): string[] => [
  `alter table "outposts" add column "${column}" ${dialect.columnType(type)}
    references "${table}" ("pk") on delete set null`,
  `create index "outposts_${column}" on "outposts" ("${column}") where "${column}" is not null`,
];
