import type { Migration } from '../migrate.ts';

/** What lets somebody in by an invitation: apart from its key, which stands in events, and stored as a hash. */
export const invitationTokens: Migration = {
  name: '0021-invitation-tokens',
  statements: (dialect) => [
    `alter table "invitations" add column "token_hash" ${dialect.columnType('text')}`,
    'create unique index "invitations_token_hash" on "invitations" ("token_hash")',
  ],
};
