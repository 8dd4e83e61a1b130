import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

/** The kinds of policy. */
export const policyKinds: Migration = {
  name: '0003-policies',
  statements: (dialect) => [
    ...createTable(dialect, 'policy_password_expiry', {
      pk: 'uuid key -> policies cascade',
      days: 'int index',
      deny_only: 'bool',
    }),
    ...createTable(dialect, 'policy_reputation', {
      pk: 'uuid key -> policies cascade',
      check_ip: 'bool',
      check_username: 'bool',
      threshold: 'int index',
    }),
    ...createTable(
      dialect,
      'policy_reputation_scores',
      {
        pk: 'uuid key',
        identifier: 'text',
        ip: 'text index',
        ip_geo_data: 'json',
        ip_asn_data: 'json',
        score: 'int index',
        updated: 'time',
        expires: 'time index',
      },
      { unique: [['identifier', 'ip']] },
    ),
    ...createTable(dialect, 'policy_geoip', { pk: 'uuid key -> policies cascade', asns: 'json', countries: 'json' }),
    ...createTable(dialect, 'policy_expression', { pk: 'uuid key -> policies cascade', expression: 'text' }),
  ],
};
