import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

const pk = 'uuid key -> stages cascade';

/** Stages that rely on services outside. */
export const secondFactors: Migration = {
  name: '0014-second-factors',
  statements: (dialect) => [
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
