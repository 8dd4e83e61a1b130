import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migrate.ts';
import { createJoin, createTable } from '../table.ts';

const pk = 'uuid key -> stages cascade';

/** The kinds of stage that came with the executor, and the count of attempts to sign in. */
export const actingStages: Migration = {
  name: '0011-acting-stages',
  statements: (dialect) => [
    ...createTable(dialect, 'stage_deny', { pk, deny_message: 'text index' }),
    ...createTable(dialect, 'stage_dummy', { pk, throw_error: 'bool index' }),
    ...signIn(dialect),
    ...createTable(dialect, 'stage_user_logout', { pk }),
    ...createTable(dialect, 'stage_user_delete', { pk }),
    ...createTable(dialect, 'stage_user_write', {
      pk,
      user_creation_mode: 'text index',
      create_users_as_inactive: 'bool index',
      create_users_group: 'uuid? -> groups set null',
      user_type: 'text index',
      user_path_template: 'text index',
    }),
    ...createTable(dialect, 'stage_consent', { pk, mode: 'text index', consent_expire_in: 'text index' }),
    ...createTable(dialect, 'sign_in_attempts', {
      pk: 'serial',
      subject: 'text unique',
      failures: 'int',
      blocked_until: 'time',
      expires: 'time index',
    }),
    // People write their names as they like when they sign in.
    ...['username', 'email'].map((name) => `create index "users_lower_${name}" on "users" (lower("${name}"))`),
  ],
};

function signIn(dialect: Dialect): string[] {
  const flow = 'uuid? -> flows set null';
  return [
    ...createTable(dialect, 'stage_password', {
      pk,
      backends: 'json',
      configure_flow: flow,
      failed_attempts_before_cancel: 'int index',
      allow_show_password: 'bool index',
    }),
    ...createTable(dialect, 'stage_identification', {
      pk,
      user_fields: 'json',
      password_stage: 'uuid? -> stage_password set null',
      case_insensitive_matching: 'bool index',
      show_matched_user: 'bool index',
      enrollment_flow: flow,
      recovery_flow: flow,
      passwordless_flow: flow,
      show_source_labels: 'bool index',
      pretend_user_exists: 'bool',
    }),
    ...createJoin(
      dialect,
      'stage_identification_sources',
      ['stage', 'uuid', 'stage_identification'],
      ['source', 'uuid', 'sources'],
    ),
    ...createTable(dialect, 'stage_user_login', {
      pk,
      session_duration: 'text index',
      terminate_other_sessions: 'bool index',
      remember_me_offset: 'text index',
      network_binding: 'text index',
      geoip_binding: 'text index',
    }),
  ];
}
