import type { Migration } from '../migrate.ts';

/** A background image for the sign-in pages of a brand, for flows that have none. */
export const brandBackground: Migration = {
  name: '0165-brand-background',
  statements: (dialect) => [
    `alter table "brands" add column "branding_default_flow_background" ${dialect.columnType('text')} not null default ''`,
  ],
};
