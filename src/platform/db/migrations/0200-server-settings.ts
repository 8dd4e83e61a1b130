import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** The public address and the mail server that administrators set; environment variables win. */
export const serverSettings: Migration = {
  name: '0200-server-settings',
  statements: (dialect) =>
    createTable(dialect, 'server_settings', {
      pk: 'int key',
      public_url: "text default ''",
      smtp_host: "text default ''",
      smtp_port: 'int default 587',
      smtp_security: "text default 'starttls'",
      smtp_username: "text default ''",
      smtp_password: "text default ''",
      smtp_from: "text default ''",
    }),
};
