import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** The clients that a user signed in to during a session. The rows outlive it, until the clients have been notified. */
export const oauth2Logins: Migration = {
  name: '0018-oauth2-logins',
  statements: (dialect) =>
    createTable(
      dialect,
      'oauth2_logins',
      {
        pk: 'serial',
        session: 'uuid',
        provider: 'int -> provider_oauth2 cascade',
        subject: 'text',
        sid: 'text',
        created: 'time',
      },
      { unique: [['session', 'provider']] },
    ),
};
