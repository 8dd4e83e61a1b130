import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** Links that lead into flows, the stage that sends them by e-mail, and the one that asks a source. */
export const linksByMail: Migration = {
  name: '0015-links-by-mail',
  statements: (dialect) => [
    ...createTable(dialect, 'flow_links', {
      pk: 'uuid key',
      // Null until the token is handed out.
      token_hash: 'text? unique',
      flow: 'uuid -> flows cascade',
      user: 'int? -> users cascade',
      content: 'text',
      created: 'time',
      expires: 'time index',
    }),
    ...createTable(dialect, 'stage_email', {
      pk: 'uuid key -> stages cascade',
      use_global_settings: 'bool index',
      host: 'text index',
      port: 'int index',
      username: 'text index',
      password: 'text',
      use_tls: 'bool index',
      use_ssl: 'bool index',
      timeout: 'int index',
      from_address: 'text index',
      token_expiry: 'int index',
      subject: 'text index',
      template: 'text index',
      activate_user_on_success: 'bool index',
    }),
    ...createTable(dialect, 'stage_source', {
      pk: 'uuid key -> stages cascade',
      source: 'uuid -> sources cascade',
      resume_timeout: 'text index',
    }),
  ],
};
