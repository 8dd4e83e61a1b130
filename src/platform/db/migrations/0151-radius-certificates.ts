import type { Migration } from '../migrate.ts';

/** What EAP needs: the pair of the server, and who issues the certificates of clients. */
export const radiusCertificates: Migration = {
  name: '0151-radius-certificates',
  statements: (dialect) =>
    ['certificate', 'client_ca'].flatMap((column) => [
      `alter table "provider_radius" add column "${column}" ${dialect.columnType('uuid')}
        references "certificates" ("pk") on delete set null`,
      `create index "provider_radius_${column}" on "provider_radius" ("${column}")`,
    ]),
};
