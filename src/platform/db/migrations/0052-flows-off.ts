import type { Migration } from '../migrate.ts';

/** Flows can be turned off. The pair that the server was set up with is marked: its name could be given to another. */
export const flowsOff: Migration = {
  name: '0052-flows-off',
  statements: (dialect) => [
    `alter table "flows" add column "enabled" ${dialect.columnType('bool')} not null default ${
      dialect.name === 'sqlite' ? '1' : 'true'
    }`,
    `update "certificates" set "managed" = 'gatehouse/crypto/self-signed'
      where "name" = 'Gatehouse Self-signed Certificate' and "managed" is null`,
  ],
};
