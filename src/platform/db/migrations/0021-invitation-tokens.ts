import type { Migration } from '../migrate.ts';

/** The secret of an invitation link, stored as a hash: unlike its key, it does not appear in events. */
export const invitationTokens: Migration = {
  name: '0021-invitation-tokens',
  statements: (dialect) => [
    `alter table "invitations" add column "token_hash" ${dialect.columnType('text')}`,
    'create unique index "invitations_token_hash" on "invitations" ("token_hash")',
  ],
};
