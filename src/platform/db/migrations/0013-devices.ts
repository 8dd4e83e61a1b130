import type { Migration } from '../migrate.ts';
import { createJoin, createTable } from '../table.ts';

const stage = 'uuid key -> stages cascade';
const device = 'int key -> devices cascade';
const setup = { pk: stage, configure_flow: 'uuid? -> flows set null', friendly_name: 'text? index' };

/** What people prove themselves with beside a password, and the stages around it. */
export const devices: Migration = {
  name: '0013-devices',
  statements: (dialect) => [
    ...createTable(
      dialect,
      'devices',
      {
        pk: 'serial',
        kind: 'text index',
        user: 'int -> users cascade',
        name: 'text index',
        confirmed: 'bool',
        created: 'time',
        last_updated: 'time',
        last_used: 'time?',
      },
      { index: [['user', 'kind']] },
    ),
    ...createTable(dialect, 'device_totp', { pk: device, key: 'text', digits: 'int', last_step: 'int' }),
    ...createTable(dialect, 'device_static', { pk: device }),
    ...createTable(
      dialect,
      'device_static_tokens',
      { pk: 'serial', device: 'int -> device_static cascade', token_hash: 'text' },
      { unique: [['device', 'token_hash']] },
    ),
    ...createTable(dialect, 'stage_authenticator_totp', { ...setup, digits: 'text index' }),
    ...createTable(dialect, 'stage_authenticator_static', {
      ...setup,
      token_count: 'int index',
      token_length: 'int index',
    }),
    ...createTable(dialect, 'stage_authenticator_validate', {
      pk: stage,
      not_configured_action: 'text index',
      device_classes: 'json',
      last_auth_threshold: 'text',
      webauthn_user_verification: 'text',
    }),
    ...createJoin(
      dialect,
      'stage_validate_configuration_stages',
      ['stage', 'uuid', 'stage_authenticator_validate'],
      ['configuration_stage', 'uuid', 'stages'],
    ),
    ...createJoin(
      dialect,
      'stage_validate_device_types',
      ['stage', 'uuid', 'stage_authenticator_validate'],
      ['device_type', 'uuid', 'webauthn_device_types'],
    ),
  ],
};
