import type { Migration } from '../migrate.ts';
import { addColumns, createJoin, createTable } from '../table.ts';

/** Programs that sign in to protected applications by tokens of JWKS sources. */
export const proxyWorkloads: Migration = {
  name: '0230-proxy-workloads',
  statements: (dialect) => [
    ...createJoin(
      dialect,
      'provider_proxy_jwks_sources',
      ['provider', 'int', 'provider_proxy'],
      ['source', 'uuid', 'sources'],
      { position: 'int default 0' },
    ),
    ...createTable(
      dialect,
      'proxy_workload_accounts',
      { pk: 'serial', provider: 'int -> provider_proxy cascade', subject: 'text', user: 'int -> users cascade' },
      { unique: [['provider', 'subject']] },
    ),
    // The source that vouches for the program of the session.
    ...addColumns(dialect, 'proxy_sessions', { source: 'uuid? -> sources cascade' }),
  ],
};
