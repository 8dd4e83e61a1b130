import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** Policies about events and passwords, and one to try things with. */
export const decidingPolicies: Migration = {
  name: '0012-deciding-policies',
  statements: (dialect) => [
    ...createTable(dialect, 'policy_dummy', {
      pk: 'uuid key -> policies cascade',
      result: 'bool',
      wait_min: 'int index',
      wait_max: 'int index',
    }),
    ...createTable(dialect, 'policy_event_matcher', {
      pk: 'uuid key -> policies cascade',
      action: 'text? index',
      client_ip: 'text? index',
      app: 'text? index',
      model: 'text? index',
    }),
    ...createTable(dialect, 'policy_password', {
      pk: 'uuid key -> policies cascade',
      password_field: 'text index',
      amount_digits: 'int index',
      amount_uppercase: 'int index',
      amount_lowercase: 'int index',
      amount_symbols: 'int index',
      length_min: 'int index',
      symbol_charset: 'text index',
      error_message: 'text index',
      check_static_rules: 'bool index',
      check_have_i_been_pwned: 'bool index',
      check_zxcvbn: 'bool index',
      hibp_allowed_count: 'int index',
      zxcvbn_score_threshold: 'int index',
    }),
  ],
};
