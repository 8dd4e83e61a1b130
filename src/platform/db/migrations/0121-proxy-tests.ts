import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** Tests of reverse proxies that administrators have begun, with the requests that came. */
export const proxyTests: Migration = {
  name: '0121-proxy-tests',
  statements: (dialect) =>
    createTable(dialect, 'proxy_tests', {
      pk: 'uuid key',
      provider: 'int -> provider_proxy cascade',
      steps: 'text',
      expires: 'time index',
    }),
};
