import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** Proxy providers. */
export const proxyProvider: Migration = {
  name: '0081-proxy-provider',
  statements: (dialect) => [
    ...createTable(dialect, 'provider_proxy', {
      pk: 'int key -> providers cascade',
      mode: 'text',
      external_host: 'text',
      host: 'text unique',
      internal_host: 'text',
      internal_host_ssl_validation: 'bool',
      certificate: 'uuid? -> certificates set null',
      cookie_domain: 'text',
      skip_path_regex: 'text',
      intercept_header_auth: 'bool',
      basic_auth_enabled: 'bool',
      basic_auth_user_attribute: 'text',
      basic_auth_password_attribute: 'text',
      access_token_validity: 'text',
      refresh_token_validity: 'text',
      client_id: 'text unique',
      client_secret: 'text',
      cookie_secret: 'text',
    }),
  ],
};
