import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/**
 * Requests of applications that people have decided on, until they are answered, of any kind of provider; and who has signed
 * in to which SAML service provider during a session. The latter rows outlive the session, until those have been told.
 */
export const authorizationRequests: Migration = {
  name: '0031-authorization-requests',
  statements: (dialect) => [
    ...createTable(dialect, 'authorization_requests', {
      pk: 'uuid key',
      id_hash: 'text unique',
      provider: 'int -> providers cascade',
      user: 'int -> users cascade',
      session: 'uuid -> authenticated_sessions cascade',
      state: 'text',
      content: 'text',
      created: 'time',
      expires: 'time index',
    }),
    ...createTable(
      dialect,
      'saml_logins',
      {
        pk: 'serial',
        session: 'uuid',
        provider: 'int -> provider_saml cascade',
        session_index: 'text',
        name_id: 'text',
        name_id_format: 'text',
        issuer: 'text',
        created: 'time',
        expires: 'time index',
      },
      { unique: [['session', 'provider']], index: [['provider', 'session_index']] },
    ),
  ],
};
