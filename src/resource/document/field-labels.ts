import { acronyms } from '../../lib/acronyms.ts';
import { capitalized } from '../../lib/spell-out.ts';

/** Words of names that labels write otherwise. */
const words: Readonly<Record<string, string>> = {
  ...acronyms,
  js: 'JavaScript',
  kp: 'key pair',
  obj: 'object',
  pk: 'key',
  promptstage: 'prompt stage',
};

/** Members whose names make poor labels. */
const labels: Readonly<Record<string, string>> = {
  alg: 'Algorithm',
  allow_idp_initiated: 'Allow sign-ins that the identity provider starts',
  allow_show_password: 'Password can be shown',
  amount_digits: 'Digits, at least',
  amount_lowercase: 'Lower-case letters, at least',
  amount_symbols: 'Symbols, at least',
  amount_uppercase: 'Upper-case letters, at least',
  assigned_application_name: 'Application',
  assigned_backchannel_application_name: 'Application that it keeps up to date',
  auth: 'Authentication token',
  auth_password: 'Authentication password',
  auth_type: 'Authentication method',
  backends: 'Password backends',
  cert_expiry: 'Certificate expires',
  cert_subject: 'Certificate subject',
  check_have_i_been_pwned: 'Check for stolen passwords',
  base_dn: 'Base DN',
  check_static_rules: 'Check length and characters',
  check_zxcvbn: 'Check the strength',
  consent_expire_in: 'Consent expires after',
  created__gte: 'Created from',
  created__lt: 'Created before',
  evaluate_on_plan: 'Evaluate when the flow begins',
  exclude_users_service_account: 'Leave out service accounts',
  execution_logging: 'Log every decision',
  failed_attempts_before_cancel: 'Attempts before the flow ends',
  finish_timestamp: 'Finished',
  flow_authentication: 'Sign-in flow',
  flow_device_code: 'Device code flow',
  flow_invalidation: 'Sign-out flow',
  flow_recovery: 'Recovery flow',
  flow_unenrollment: 'Account deletion flow',
  flow_user_settings: 'User settings flow',
  flow_set: 'Flows',
  force_binding: 'Only this binding',
  fsb_uuid: 'Binding UUID',
  gid_start_number: 'First GID number',
  hibp_allowed_count: 'Allowed number of leaks',
  identifier__in: 'Identifiers',
  invalid_response_action: 'After a wrong answer',
  invalidation_flow: 'Sign-out flow',
  last_auth_threshold: 'Ask again after',
  last_ip: 'Client address',
  length_min: 'Length, at least',
  managed__isnull: 'Not managed',
  member_count: 'Members',
  mfa_support: 'Codes after the password',
  not_configured_action: 'Without a device',
  num_pk: 'Number',
  path_startswith: 'Path begins with',
  pbm_uuid: 'Target UUID',
  plex_token: 'Media server token',
  pm_uuid: 'Mapping UUID',
  policybindingmodel_ptr_id: 'Target UUID',
  pretend_user_exists: 'Pretend that users exist',
  property_mappings_group: 'Group property mappings',
  re_evaluate_policies: 'Evaluate at this step',
  refresh_interval_s: 'Refresh interval in seconds',
  remember_me_offset: 'Remember me for',
  start_timestamp: 'Queued or started',
  sub_mode: 'Subject mode',
  sub_text: 'Hint',
  subject_alt_name: 'Alternative names',
  symbol_charset: 'Symbols',
  target__in: 'Targets',
  temporary_user_delete_after: 'Delete temporary users after',
  throw_error: 'Fail on purpose',
  twofactor_user_id: 'User ID at the service',
  uid_source: 'Content of uid',
  uid_start_number: 'First UID number',
  url_download_metadata: 'Metadata URL',
  url_slo_post: 'SLO URL (POST)',
  url_slo_redirect: 'SLO URL (redirect)',
  url_sso_init: 'SSO URL (started here)',
  url_sso_post: 'SSO URL (POST)',
  url_sso_redirect: 'SSO URL (redirect)',
  validity_days: 'Days of validity',
  wait_max: 'Wait at most',
  wait_min: 'Wait at least',
  zxcvbn_score_threshold: 'Strength threshold',
};

/** `oidc_jwks_url` becomes `OIDC JWKS URL`, `is_active` becomes `Active`, `policy__isnull` becomes `Without policy`. */
export function labelOf(name: string): string {
  const label = name
    .replace(/^(is|meta)_/, '')
    .replace(/^(\w+)__isnull$/, 'without_$1')
    .split('_')
    .filter(Boolean)
    .map((word) => words[word] ?? word)
    .join(' ');
  return labels[name] ?? capitalized(label);
}
