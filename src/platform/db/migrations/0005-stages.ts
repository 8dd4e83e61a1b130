import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migrate.ts';
import { createJoin, createTable } from '../table.ts';

/** The kinds of stage and what they are made of, and uploaded images. */
export const stageKinds: Migration = {
  name: '0005-stages',
  statements: (dialect) => [
    ...webauthn(dialect),
    ...prompts(dialect),
    ...invitations(dialect),
    ...createTable(dialect, 'media', { pk: 'uuid key', type: 'text', bytes: 'text', sha256: 'text', created: 'time' }),
    // Of two requests that both make a brand the default, one must lose.
    'create unique index "brands_one_default" on "brands" ("default") where "default"',
  ],
};

function webauthn(dialect: Dialect): string[] {
  return [
    ...createTable(dialect, 'webauthn_device_types', { pk: 'uuid key', description: 'text index' }),
    ...createTable(dialect, 'stage_authenticator_webauthn', {
      pk: 'uuid key -> stages cascade',
      configure_flow: 'uuid? -> flows set null',
      friendly_name: 'text? index',
      user_verification: 'text index',
      authenticator_attachment: 'text? index',
      resident_key_requirement: 'text index',
    }),
    ...createJoin(
      dialect,
      'stage_webauthn_device_types',
      ['stage', 'uuid', 'stage_authenticator_webauthn'],
      ['device_type', 'uuid', 'webauthn_device_types'],
    ),
  ];
}

function prompts(dialect: Dialect): string[] {
  return [
    ...createTable(dialect, 'prompts', {
      pk: 'uuid key',
      name: 'text unique',
      field_key: 'text index',
      label: 'text index',
      type: 'text index',
      required: 'bool',
      placeholder: 'text',
      initial_value: 'text',
      order: 'int index',
      sub_text: 'text',
      placeholder_expression: 'bool',
      initial_value_expression: 'bool',
    }),
    ...createTable(dialect, 'stage_prompt', { pk: 'uuid key -> stages cascade' }),
    ...createJoin(dialect, 'prompt_stage_fields', ['stage', 'uuid', 'stage_prompt'], ['prompt', 'uuid', 'prompts']),
    ...createJoin(dialect, 'policy_validations', ['stage', 'uuid', 'stage_prompt'], ['policy', 'uuid', 'policies']),
  ];
}

function invitations(dialect: Dialect): string[] {
  return [
    ...createTable(dialect, 'stage_invitation', {
      pk: 'uuid key -> stages cascade',
      continue_flow_without_invitation: 'bool index',
    }),
    ...createTable(dialect, 'invitations', {
      pk: 'uuid key',
      name: 'text index',
      expires: 'time index',
      fixed_data: 'json',
      created_by: 'int -> users cascade',
      single_use: 'bool',
      flow: 'uuid? -> flows set null',
    }),
  ];
}
