import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migrate.ts';
import { createTable } from '../table.ts';

const pk = 'uuid key -> stages cascade';
const device = 'int key -> devices cascade';
const setup = { pk, configure_flow: 'uuid? -> flows set null', friendly_name: 'text? index' };

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
    ...sms(dialect),
    ...twofactor(dialect),
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

function sms(dialect: Dialect): string[] {
  return [
    ...createTable(dialect, 'stage_authenticator_sms', {
      ...setup,
      provider: 'text index',
      from_number: 'text index',
      account_sid: 'text index',
      auth: 'text',
      auth_password: 'text',
      auth_type: 'text index',
      verify_only: 'bool index',
      mapping: 'uuid? -> mapping_notification set null',
    }),
    ...createTable(
      dialect,
      'device_sms',
      {
        pk: device,
        phone_number: 'text',
        is_hashed: 'bool',
        number_hash: 'text?',
        stage: 'uuid? -> stage_authenticator_sms set null',
      },
      { unique: [['stage', 'number_hash']] },
    ),
    ...createTable(dialect, 'sms_codes', {
      pk: 'serial',
      subject: 'text unique',
      code_hash: 'text',
      tries: 'int',
      expires: 'time index',
    }),
    ...createTable(dialect, 'sms_sendings', {
      pk: 'serial',
      subject: 'text unique',
      sent: 'int',
      expires: 'time index',
    }),
  ];
}

function twofactor(dialect: Dialect): string[] {
  return [
    ...createTable(dialect, 'stage_authenticator_twofactor', {
      ...setup,
      client_id: 'text index',
      client_secret: 'text',
      api_hostname: 'text index',
      admin_integration_key: 'text',
      admin_secret_key: 'text',
    }),
    ...createTable(
      dialect,
      'device_twofactor',
      { pk: device, service_user: 'text?', stage: 'uuid? -> stage_authenticator_twofactor set null' },
      { unique: [['stage', 'service_user']] },
    ),
    ...createTable(
      dialect,
      'twofactor_enrolments',
      {
        pk: 'serial',
        user: 'int -> users cascade',
        stage: 'uuid -> stage_authenticator_twofactor cascade',
        activation: 'text',
        expires: 'time index',
      },
      { unique: [['user', 'stage']] },
    ),
  ];
}
