import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migrate.ts';
import { createJoin, createTable } from '../table.ts';

/**
 * The kinds of provider with the mappings they use, what OAuth2 grants, consents, and the kinds of service connection.
 */
export const providerKinds: Migration = {
  name: '0007-providers',
  statements: (dialect) => [
    ...createTable(dialect, 'mapping_scope', {
      pk: 'uuid key -> property_mappings cascade',
      scope_name: 'text index',
      description: 'text',
    }),
    ...createTable(dialect, 'mapping_workspace_directory', { pk: 'uuid key -> property_mappings cascade' }),
    ...oauth2(dialect),
    ...grants(dialect),
    ...workspaceDirectory(dialect),
    ...createTable(
      dialect,
      'user_consents',
      {
        pk: 'serial',
        user: 'int -> users cascade',
        application: 'uuid -> applications cascade',
        permissions: 'text',
        expires: 'time?',
        expiring: 'bool',
      },
      { unique: [['user', 'application', 'permissions']], index: [['application', 'expires']] },
    ),
    ...createTable(dialect, 'connection_container', {
      pk: 'uuid key -> service_connections cascade',
      url: 'text index',
      tls_verification: 'uuid? -> certificates set null',
      tls_authentication: 'uuid? -> certificates set null',
    }),
    ...createTable(dialect, 'connection_cluster', {
      pk: 'uuid key -> service_connections cascade',
      kubeconfig: 'text',
      verify_ssl: 'bool',
    }),
  ],
};

function oauth2(dialect: Dialect): string[] {
  return [
    ...createTable(dialect, 'provider_oauth2', {
      pk: 'int key -> providers cascade',
      client_type: 'text index',
      client_id: 'text unique',
      client_secret: 'text',
      access_code_validity: 'text index',
      access_token_validity: 'text index',
      refresh_token_validity: 'text index',
      include_claims_in_id_token: 'bool index',
      signing_key: 'uuid? -> certificates set null',
      redirect_uris: 'json',
      sub_mode: 'text index',
      issuer_mode: 'text index',
      grant_types: 'json',
      post_logout_redirect_uris: 'json',
      backchannel_logout_uri: 'text',
      frontchannel_logout_uri: 'text',
    }),
    ...createJoin(
      dialect,
      'provider_oauth2_jwks_sources',
      ['provider', 'int', 'provider_oauth2'],
      ['source', 'uuid', 'sources'],
    ),
  ];
}

/**
 * Of each token and code only a hash is kept. A grant goes with the session that it was made in, where there is one.
 */
function grants(dialect: Dialect): string[] {
  const grant = {
    pk: 'serial',
    provider: 'int -> provider_oauth2 cascade',
    user: 'int -> users cascade',
    session: 'uuid? -> authenticated_sessions cascade',
    created: 'time',
    auth_time: 'time',
    expires: 'time?',
    expiring: 'bool',
    scope: 'json',
    // All that comes of one authorization, to be taken back together.
    family: 'uuid index',
    terms: 'json',
  };
  const rules = {
    index: [
      ['provider', 'expires', 'pk'],
      ['user', 'provider', 'expires', 'pk'],
    ],
    // What clients are given on their own behalf belongs to no session.
    sparse: { session: [['session']] },
  };
  const token = { token_hash: 'text unique', id_token: 'text', revoked: 'bool' };
  return [
    ...createTable(dialect, 'oauth2_access_tokens', { ...grant, ...token }, rules),
    ...createTable(dialect, 'oauth2_refresh_tokens', { ...grant, ...token }, rules),
    ...createTable(
      dialect,
      'oauth2_authorization_codes',
      {
        ...grant,
        code_hash: 'text unique',
        redirect_uri: 'text',
        nonce: 'text',
        code_challenge: 'text',
        code_challenge_method: 'text',
        consumed: 'time?',
      },
      rules,
    ),
    ...underWay(dialect),
  ];
}

/**
 * Requests that are not answered yet, what may be used once, keys that tokens were signed with, and clients' own
 * accounts.
 */
function underWay(dialect: Dialect): string[] {
  return [
    ...createTable(dialect, 'oauth2_requests', {
      pk: 'uuid key',
      purpose: 'text',
      id_hash: 'text unique',
      user_code_hash: 'text? unique',
      provider: 'int -> provider_oauth2 cascade',
      user: 'int? -> users cascade',
      session: 'uuid? -> authenticated_sessions cascade',
      state: 'text',
      content: 'text',
      polled: 'time?',
      created: 'time',
      expires: 'time index',
    }),
    ...createTable(dialect, 'oauth2_seen', { pk: 'text key', expires: 'time index' }),
    ...createTable(
      dialect,
      'oauth2_published_keys',
      { pk: 'serial', provider: 'int -> provider_oauth2 cascade', kid: 'text', jwk: 'json', expires: 'time index' },
      { unique: [['provider', 'kid']] },
    ),
    ...createTable(
      dialect,
      'oauth2_client_accounts',
      { pk: 'serial', provider: 'int -> provider_oauth2 cascade', subject: 'text', user: 'int -> users cascade' },
      { unique: [['provider', 'subject']] },
    ),
  ];
}

function workspaceDirectory(dialect: Dialect): string[] {
  const link = (member: Record<string, string>, name: string) => ({
    columns: {
      pk: 'uuid key',
      google_id: 'text',
      ...member,
      provider: 'int -> provider_workspace_directory cascade',
      attributes: 'json',
    },
    rules: { unique: [['google_id', name, 'provider']] },
  });
  const users = link({ user: 'int -> users cascade' }, 'user');
  const groups = link({ group: 'uuid -> groups cascade' }, 'group');
  return [
    ...createTable(dialect, 'provider_workspace_directory', {
      pk: 'int key -> providers cascade',
      delegated_subject: 'text index',
      credentials: 'text',
      scopes: 'text',
      exclude_users_service_account: 'bool index',
      filter_group: 'uuid? -> groups set null',
      user_delete_action: 'text',
      group_delete_action: 'text',
      default_group_email_domain: 'text',
    }),
    ...createJoin(
      dialect,
      'provider_workspace_directory_group_mappings',
      ['provider', 'int', 'provider_workspace_directory'],
      ['mapping', 'uuid', 'property_mappings'],
    ),
    ...createTable(dialect, 'workspace_directory_users', users.columns, users.rules),
    ...createTable(dialect, 'workspace_directory_groups', groups.columns, groups.rules),
  ];
}
