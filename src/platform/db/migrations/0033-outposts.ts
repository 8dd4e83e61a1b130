import type { Migration } from '../migrate.ts';
import { createJoin, createTable } from '../table.ts';

/** Outposts, and the providers that they or this server run: LDAP and proxy. */
export const outposts: Migration = {
  name: '0033-outposts',
  statements: (dialect) => [
    ...createTable(dialect, 'outposts', {
      pk: 'uuid key',
      name: 'text unique',
      type: 'text',
      service_connection: 'uuid? -> service_connections set null',
      config: 'json',
      managed: 'text? unique',
    }),
    ...createJoin(dialect, 'outpost_providers', ['outpost', 'uuid', 'outposts'], ['provider', 'int', 'providers'], {
      position: 'int default 0',
    }),
    ...createTable(dialect, 'provider_ldap', {
      pk: 'int key -> providers cascade',
      base_dn: 'text',
      base_key: 'text unique',
      certificate: 'uuid? -> certificates set null',
      tls_server_name: 'text',
      uid_start_number: 'int',
      gid_start_number: 'int',
      search_mode: 'text',
      bind_mode: 'text',
      mfa_support: 'bool',
      uid_source: 'text',
      accept_app_passwords: 'bool',
      published_attributes: 'json',
    }),
    ...createTable(dialect, 'provider_proxy', {
      pk: 'int key -> providers cascade',
      mode: 'text',
      external_host: 'text',
      host: 'text unique',
      internal_host: 'text',
      internal_host_ssl_validation: 'bool',
      certificate: 'uuid? -> certificates set null',
      cookie_domain: 'text index',
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
    // Sessions of users at applications behind proxy providers.
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
    // Tests of reverse proxies that administrators have started, with the requests that arrived.
    ...createTable(dialect, 'proxy_tests', {
      pk: 'uuid key',
      provider: 'int -> provider_proxy cascade',
      steps: 'text',
      expires: 'time index',
    }),
  ],
};
