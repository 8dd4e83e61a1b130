import type { Migration } from '../migrate.ts';

/** Who issues the certificates of clients that use RADIUS over TLS. */
export const radsec: Migration = {
  name: '0180-radsec',
  statements: (dialect) => [
    `alter table "provider_radius" add column "radsec_ca" ${dialect.columnType('uuid')}
      references "certificates" ("pk") on delete set null`,
    `create index "provider_radius_radsec_ca" on "provider_radius" ("radsec_ca")`,
  ],
};
