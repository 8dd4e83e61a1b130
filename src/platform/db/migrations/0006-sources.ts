import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** The kinds of source, who and what is linked to them, and plans of flows that a source has begun. */
export const sourceKinds: Migration = {
  name: '0006-sources',
  statements: (dialect) => [
    ...kinds(dialect),
    ...userConnections(dialect),
    ...groupConnections(dialect),
    ...scimRecords(dialect),
    ...['mediasrc', 'oauth', 'saml', 'scim'].flatMap((kind) =>
      createTable(dialect, `mapping_source_${kind}`, { pk: 'uuid key -> property_mappings cascade' }),
    ),
    ...createTable(
      dialect,
      'flow_plans',
      {
        pk: 'uuid key',
        token_hash: 'text',
        flow: 'uuid -> flows cascade',
        version: 'int default 1',
        context: 'text',
        created: 'time',
        expires: 'time index',
        network: 'text?',
      },
      { unique: [['token_hash', 'flow']], index: [['network', 'created']] },
    ),
  ],
};

function kinds(dialect: Dialect): string[] {
  return [
    ...createTable(dialect, 'source_mediasrc', {
      pk: 'uuid key -> sources cascade',
      client_id: 'text index',
      allowed_servers: 'json',
      allow_friends: 'bool',
      plex_token: 'text',
    }),
    ...createTable(dialect, 'source_oauth', {
      pk: 'uuid key -> sources cascade',
      provider_type: 'text index',
      request_token_url: 'text?',
      authorization_url: 'text?',
      access_token_url: 'text?',
      profile_url: 'text?',
      consumer_key: 'text index',
      consumer_secret: 'text',
      additional_scopes: 'text',
      oidc_well_known_url: 'text',
      oidc_jwks_url: 'text',
      oidc_jwks: 'json',
    }),
    ...createTable(dialect, 'source_saml', {
      pk: 'uuid key -> sources cascade',
      pre_authentication_flow: 'uuid -> flows cascade',
      issuer: 'text',
      sso_url: 'text',
      slo_url: 'text?',
      allow_idp_initiated: 'bool',
      name_id_policy: 'text',
      binding_type: 'text',
      verification_kp: 'uuid? -> certificates set null',
      signing_kp: 'uuid? -> certificates set null',
      encryption_kp: 'uuid? -> certificates set null',
      digest_algorithm: 'text',
      signature_algorithm: 'text',
      temporary_user_delete_after: 'text',
    }),
    // Without its pre-authentication flow a SAML source cannot be: its base goes with it.
    ...dialect.dropAlong('source_saml', 'pk', 'sources'),
    ...createTable(dialect, 'source_scim', {
      pk: 'uuid key -> sources cascade',
      account: 'int? -> users set null',
      token: 'uuid? -> tokens set null',
    }),
    ...dialect.dropAlong('source_scim', 'account', 'users'),
  ];
}

function userConnections(dialect: Dialect): string[] {
  const base = 'int key -> user_source_connections cascade';
  return [
    ...createTable(
      dialect,
      'user_source_connections',
      {
        pk: 'serial',
        kind: 'text index',
        user: 'int -> users cascade',
        source: 'uuid -> sources cascade',
        identifier: 'text',
        created: 'time',
      },
      // The second keeps an account elsewhere from signing in as two people.
      {
        unique: [
          ['user', 'source'],
          ['source', 'identifier'],
        ],
      },
    ),
    ...createTable(dialect, 'user_connection_mediasrc', { pk: base, plex_token: 'text' }),
    ...createTable(dialect, 'user_connection_oauth', { pk: base, access_token: 'text?' }),
    ...createTable(dialect, 'user_connection_saml', { pk: base }),
  ];
}

function groupConnections(dialect: Dialect): string[] {
  return createTable(
    dialect,
    'group_source_connections',
    {
      pk: 'serial',
      kind: 'text index',
      group: 'uuid -> groups cascade',
      source: 'uuid -> sources cascade',
      identifier: 'text',
      created: 'time',
    },
    {
      unique: [
        ['group', 'source'],
        ['source', 'identifier'],
      ],
    },
  );
}

function scimRecords(dialect: Dialect): string[] {
  return [
    ...createTable(dialect, 'scim_source_users', {
      pk: 'serial',
      id: 'text unique',
      user: 'int -> users cascade',
      source: 'uuid -> sources cascade',
      attributes: 'json',
    }),
    ...createTable(dialect, 'scim_source_groups', {
      pk: 'serial',
      id: 'text unique',
      group: 'uuid -> groups cascade',
      source: 'uuid -> sources cascade',
      attributes: 'json',
    }),
  ];
}
