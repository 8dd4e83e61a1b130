import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** Browsers that are on their way past the SAML service providers that they signed in to, to sign out of them. */
export const samlLogouts: Migration = {
  name: '0032-saml-logouts',
  statements: (dialect) =>
    createTable(dialect, 'saml_logouts', {
      pk: 'uuid key',
      id_hash: 'text unique',
      content: 'text',
      expires: 'time index',
    }),
};
