import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** Sign-ins to applications behind proxy providers. */
export const proxySessions: Migration = {
  name: '0120-proxy-sessions',
  statements: (dialect) => [
    ...createTable(
      dialect,
      'proxy_sessions',
      {
        pk: 'uuid key',
        token_hash: 'text',
        provider: 'int -> provider_proxy cascade',
        user: 'int -> users cascade',
        session: 'uuid? -> authenticated_sessions cascade',
        app_password: 'uuid? -> tokens cascade',
        app_password_hash: 'text?',
        browser: 'text?',
        headers: 'text',
        created: 'time',
        checked: 'time',
        expires: 'time index',
      },
      { unique: [['token_hash', 'provider']] },
    ),
    'create index "provider_proxy_cookie_domain" on "provider_proxy" ("cookie_domain")',
  ],
};
