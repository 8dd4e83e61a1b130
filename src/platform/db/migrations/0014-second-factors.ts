import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

const pk = 'uuid key -> stages cascade';
const device = 'int key -> devices cascade';

/** Keys and services that people prove themselves with, and the stages around them. */
export const secondFactors: Migration = {
  name: '0014-second-factors',
  statements: (dialect) => [
    ...createTable(dialect, 'device_webauthn', {
      pk: device,
      // One key belongs to one person.
      credential_id: 'text? unique',
      public_key: 'text?',
      sign_count: 'real',
      transports: 'json',
      aaguid: 'text',
      attested: 'bool',
      device_type: 'uuid? -> webauthn_device_types set null',
    }),
    ...createTable(dialect, 'stage_captcha', {
      pk,
      public_key: 'text index',
      private_key: 'text',
      js_url: 'text',
      api_url: 'text',
      interactive: 'bool',
      score_min_threshold: 'real',
      score_max_threshold: 'real',
      error_on_invalid_score: 'bool',
    }),
  ],
};
