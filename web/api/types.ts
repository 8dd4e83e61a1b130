// Made by scripts/page-types.ts (`npm run types`) from the OpenAPI document: the schemas that pages import.

export interface AccessDeniedChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-access-denied';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly pending_user: string;
  readonly pending_user_avatar: string;
  readonly error_message: string;
  readonly to?: string;
  readonly application_name?: string;
}

export interface AccessExplanation {
  readonly passing: boolean;
  readonly input: Readonly<Record<string, unknown>>;
  readonly nodes: readonly {
    readonly model: string;
    readonly pk: string;
    readonly name: string;
    readonly mode: 'all' | 'any';
    readonly enabled: boolean;
    readonly passing: boolean;
    readonly bindings: readonly {
      readonly binding: string;
      readonly name: string;
      readonly bound: {
        readonly kind: 'policy' | 'group' | 'user' | 'deleted';
        readonly name: string;
      };
      readonly policy: string | null;
      readonly group: string | null;
      readonly user: number | null;
      readonly negate: boolean;
      readonly passing: boolean;
      readonly messages: readonly string[];
      readonly logs: readonly string[];
    }[];
  }[];
}

export interface AdminInterface {
  readonly version: string;
  readonly user: {
    readonly pk: number;
    readonly username: string;
    readonly name: string;
    readonly email: string;
    readonly is_superuser: boolean;
  };
  readonly acting: {
    readonly pk: number;
    readonly username: string;
    readonly name: string;
    readonly email: string;
    readonly is_superuser: boolean;
  } | null;
  readonly has_rights: boolean;
  readonly system_permissions: readonly string[];
  readonly actions: readonly string[];
  readonly resources: readonly {
    readonly path: string;
    readonly model: string;
    readonly singular: string;
    readonly plural: string;
    readonly description: string;
    readonly family: string | null;
    readonly kinds: readonly string[];
    readonly search: 'global' | 'list' | 'none';
    readonly reaches_sign_in: boolean;
    readonly may: {
      readonly view: 'all' | 'some' | 'none';
      readonly add: 'all' | 'some' | 'none';
      readonly change: 'all' | 'some' | 'none';
      readonly delete: 'all' | 'some' | 'none';
    };
  }[];
  readonly views: readonly SavedView[];
  readonly labels: {
    readonly kinds: Readonly<Record<string, string>>;
    readonly event_actions: Readonly<Record<string, string>>;
  };
}

export interface AdminOverview {
  readonly version: string;
  readonly public_url: string;
  readonly health: {
    readonly database: string;
    readonly mail: boolean;
    readonly jobs_queued: number;
    readonly jobs_failed: number;
    readonly last_backup: string | null;
  } | null;
  readonly counts: {
    readonly users: number | null;
    readonly applications: number | null;
  };
  readonly week: {
    readonly start: string;
    readonly logins: readonly number[];
    readonly logins_failed: readonly number[];
    readonly authorizations: readonly number[];
  } | null;
  readonly top_applications: readonly {
    readonly name: string;
    readonly slug: string;
    readonly icon: string;
    readonly events: number;
    readonly users: number;
  }[];
  readonly failing_jobs: readonly {
    readonly pk: string;
    readonly name: string;
    readonly message: string;
    readonly finished: string | null;
  }[];
  readonly ending_certificates: readonly {
    readonly pk: string;
    readonly name: string;
    readonly ends: string;
  }[];
  readonly outgoing_held_since: string | null;
  readonly checklist: readonly {
    readonly name: 'password' | 'second_factor' | 'public_address' | 'mail' | 'application' | 'second_administrator' | 'backup';
    readonly is_done: boolean;
    readonly is_dismissed: boolean;
  }[];
  readonly at_least: readonly string[];
}

export interface AdminPage {
  readonly answers: readonly {
    readonly status: number;
    readonly body: unknown;
    readonly etag: string | null;
    readonly is_at_least: boolean;
  }[];
  readonly names: readonly {
    readonly model: string;
    readonly base: string;
    readonly pk: string;
    readonly name: string;
    readonly type: string;
    readonly path: string;
    readonly may: readonly string[];
    readonly why?: string;
    readonly fixed?: readonly string[];
  }[];
  readonly document: Readonly<Record<string, unknown>> | null;
}

export interface Application {
  readonly pk: string;
  readonly name: string;
  readonly slug: string;
  readonly provider: number | null;
  readonly provider_obj: Provider | null;
  readonly backchannel_providers: readonly number[];
  readonly backchannel_providers_obj: readonly Provider[];
  readonly open_in_new_tab: boolean;
  readonly meta_launch_url: string;
  readonly meta_icon: string | null;
  readonly meta_description: string;
  readonly meta_publisher: string;
  readonly policy_engine_mode: 'all' | 'any';
  readonly enabled: boolean;
  readonly access_requests: boolean;
  readonly group: string;
  readonly launch_url: string | null;
}

export interface AuthenticatedSession {
  readonly uuid: string;
  readonly user: number;
  readonly last_ip: string;
  readonly last_user_agent: string;
  readonly last_used: string;
  readonly expires: string;
  readonly current: boolean;
  readonly user_agent: {
    readonly device: {
      readonly brand: string;
      readonly family: string;
      readonly model: string;
    };
    readonly os: {
      readonly family: string;
      readonly major: string;
      readonly minor: string;
      readonly patch: string;
      readonly patch_minor: string;
    };
    readonly user_agent: {
      readonly family: string;
      readonly major: string;
      readonly minor: string;
      readonly patch: string;
    };
    readonly string: string;
  };
  readonly geo_ip: {
    readonly continent: string;
    readonly country: string;
    readonly lat: number;
    readonly long: number;
    readonly city: string;
  } | null;
  readonly asn: {
    readonly asn: number;
    readonly as_org: string;
    readonly network: string;
  } | null;
}

export interface AuthenticatorSmsChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-authenticator-sms';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly pending_user: string;
  readonly pending_user_avatar: string;
  readonly phone_number_required: boolean;
}

export interface AuthenticatorStaticChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-authenticator-static';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly pending_user: string;
  readonly pending_user_avatar: string;
  readonly codes: readonly string[];
}

export interface AuthenticatorTotpChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-authenticator-totp';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly pending_user: string;
  readonly pending_user_avatar: string;
  readonly config_url: string;
}

export interface AuthenticatorTwofactorChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-authenticator-twofactor';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly pending_user: string;
  readonly pending_user_avatar: string;
  readonly activation_barcode: string;
  readonly activation_code: string;
  readonly stage_uuid: string;
}

export interface AuthenticatorValidateChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-authenticator-validate';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly pending_user: string;
  readonly pending_user_avatar: string;
  readonly device_challenges: readonly {
    readonly device_class: string;
    readonly device_uid: string;
    readonly challenge: Readonly<Record<string, unknown>>;
    readonly last_used: string | null;
  }[];
  readonly configuration_stages: readonly {
    readonly pk: string;
    readonly name: string;
    readonly verbose_name: string;
    readonly meta_model_name: string;
  }[];
}

export interface AuthenticatorWebauthnChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-authenticator-webauthn';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly pending_user: string;
  readonly pending_user_avatar: string;
  readonly registration: Readonly<Record<string, unknown>>;
}

export interface BulkResponse {
  readonly results: readonly {
    readonly path: string;
    readonly status: number;
    readonly body: Readonly<Record<string, unknown>> | readonly unknown[] | string | number | boolean | null;
    readonly used_by?: readonly UsedBy[];
  }[];
}

export interface CaptchaChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-captcha';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly pending_user: string;
  readonly pending_user_avatar: string;
  readonly site_key: string;
  readonly js_url: string;
  readonly interactive: boolean;
}

export type ChallengeTypes = AccessDeniedChallenge | DummyChallenge | IdentificationChallenge | PasswordChallenge | UserLoginChallenge | UserLogoutChallenge | UserWriteChallenge | UserDeleteChallenge | PromptChallenge | InvitationChallenge | ConsentChallenge | CaptchaChallenge | EmailChallenge | ConfirmChallenge | SourceMediasrcChallenge | AuthenticatorWebauthnChallenge | AuthenticatorSmsChallenge | AuthenticatorTwofactorChallenge | AuthenticatorTotpChallenge | AuthenticatorStaticChallenge | AuthenticatorValidateChallenge | RedirectChallenge | FlowErrorChallenge;

export interface ConfirmChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-flow-confirm';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly signs_out: boolean;
  readonly sends_mail: boolean;
}

export interface ConsentChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-consent';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly pending_user: string;
  readonly pending_user_avatar: string;
  readonly header_text: string;
  readonly permissions: readonly {
    readonly id: string;
    readonly name: string;
  }[];
  readonly additional_permissions: readonly {
    readonly id: string;
    readonly name: string;
  }[];
  readonly token: string;
}

export interface CurrentBrand {
  readonly matched_domain: string;
  readonly branding_title: string;
  readonly branding_logo: string;
  readonly branding_favicon: string;
  readonly ui_footer_links: readonly {
    readonly href: string | null;
    readonly name: string;
  }[];
  readonly ui_theme: 'automatic' | 'light' | 'dark';
  readonly ui_layout: 'centred' | 'left' | 'right';
  readonly ui_background: string | null;
  readonly ui_style: string | null;
  readonly default_locale: string;
  readonly flow_authentication?: string;
  readonly flow_invalidation?: string;
  readonly flow_recovery?: string;
  readonly flow_unenrollment?: string;
  readonly flow_user_settings?: string;
  readonly flow_device_code?: string;
}

export interface Device {
  readonly verbose_name: string;
  readonly verbose_name_plural: string;
  readonly meta_model_name: string;
  readonly pk: number;
  readonly name: string;
  readonly type: string;
  readonly confirmed: boolean;
  readonly created: string;
  readonly last_updated: string;
  readonly last_used: string | null;
}

export interface DummyChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-dummy';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly name: string;
}

export interface EmailChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-email';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly link_opened: boolean;
}

export interface EmailStage {
  readonly pk: string;
  readonly name: string;
  readonly flow_set: readonly FlowSet[];
  readonly component: string;
  readonly verbose_name: string;
  readonly verbose_name_plural: string;
  readonly meta_model_name: string;
  readonly use_global_settings: boolean;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly use_tls: boolean;
  readonly use_ssl: boolean;
  readonly timeout: number;
  readonly from_address: string;
  readonly token_expiry: number;
  readonly subject: string;
  readonly template: string;
  readonly activate_user_on_success: boolean;
}

export interface Event {
  readonly pk: string;
  readonly user: Readonly<Record<string, unknown>> | readonly unknown[] | string | number | boolean;
  readonly action: 'login' | 'login_failed' | 'logout' | 'user_write' | 'suspicious_request' | 'password_set' | 'secret_view' | 'secret_rotate' | 'invitation_used' | 'authorize_application' | 'source_linked' | 'impersonation_started' | 'impersonation_ended' | 'flow_execution' | 'policy_execution' | 'policy_exception' | 'property_mapping_exception' | 'system_task_execution' | 'system_task_exception' | 'system_exception' | 'configuration_error' | 'model_created' | 'model_updated' | 'model_deleted' | 'email_sent' | 'update_available' | 'custom_' | string;
  readonly app: string;
  readonly context: Readonly<Record<string, unknown>> | readonly unknown[] | string | number | boolean;
  readonly client_ip: string | null;
  readonly created: string;
  readonly expires: string;
  readonly brand: Readonly<Record<string, unknown>> | readonly unknown[] | string | number | boolean;
  readonly sentence: string;
}

export interface EventFacets {
  readonly start: string;
  readonly interval_seconds: number;
  readonly counts: readonly number[];
  readonly actions: readonly {
    readonly value: string;
    readonly label: string;
    readonly events: number;
  }[];
  readonly usernames: readonly {
    readonly value: string;
    readonly label: string;
    readonly events: number;
  }[];
  readonly client_ips: readonly {
    readonly value: string;
    readonly label: string;
    readonly events: number;
  }[];
  readonly applications: readonly {
    readonly value: string;
    readonly label: string;
    readonly events: number;
  }[];
  readonly at_least: readonly string[];
}

export interface Flow {
  readonly pk: string;
  readonly policybindingmodel_ptr_id: string;
  readonly name: string;
  readonly slug: string;
  readonly title: string;
  readonly designation: 'authentication' | 'authorization' | 'invalidation' | 'enrollment' | 'unenrollment' | 'recovery' | 'stage_configuration';
  readonly enabled: boolean;
  readonly background: string;
  readonly stages: readonly string[];
  readonly policies: readonly string[];
  readonly policy_engine_mode: 'all' | 'any';
  readonly compatibility_mode: boolean;
  readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  readonly denied_action: 'message_continue' | 'message' | 'continue';
  readonly authentication: 'none' | 'require_authenticated' | 'require_unauthenticated' | 'require_superuser' | 'require_outpost';
  readonly cache_count: number;
  readonly export_url: string;
}

export interface FlowDesign {
  readonly pk: string;
  readonly slug: string;
  readonly name: string;
  readonly title: string;
  readonly designation: string;
  readonly target: string;
  readonly locked: string | null;
  readonly is_sign_in: boolean;
  readonly policy_engine_mode: 'all' | 'any';
  readonly gates: readonly {
    readonly pk: string;
    readonly order: number;
    readonly enabled: boolean;
    readonly negate: boolean;
    readonly policy: string | null;
    readonly group: string | null;
    readonly user: number | null;
    readonly name: string | null;
    readonly type: string | null;
    readonly path: string | null;
  }[];
  readonly steps: readonly {
    readonly pk: string;
    readonly target: string;
    readonly order: number;
    readonly evaluate_on_plan: boolean;
    readonly re_evaluate_policies: boolean;
    readonly policy_engine_mode: 'all' | 'any';
    readonly invalid_response_action: string;
    readonly stage: string | null;
    readonly name: string | null;
    readonly type: string | null;
    readonly path: string | null;
    readonly gates: readonly {
      readonly pk: string;
      readonly order: number;
      readonly enabled: boolean;
      readonly negate: boolean;
      readonly policy: string | null;
      readonly group: string | null;
      readonly user: number | null;
      readonly name: string | null;
      readonly type: string | null;
      readonly path: string | null;
    }[];
  }[];
  readonly findings: readonly {
    readonly code: string;
    readonly severity: 'error' | 'warning' | 'info';
    readonly message: string;
    readonly advice: string;
    readonly binding: string | null;
  }[] | null;
}

export interface FlowDiagram {
  readonly diagram: string;
}

export interface FlowErrorChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-flow-error';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly request_id: string;
  readonly error: string;
}

export interface FlowInspection {
  readonly plans: readonly {
    readonly current_stage: FlowStageBinding | null;
    readonly next_planned_stage: FlowStageBinding | null;
    readonly plan_context: Readonly<Record<string, unknown>>;
    readonly session_id: string;
  }[];
  readonly current_plan?: {
    readonly current_stage: FlowStageBinding | null;
    readonly next_planned_stage: FlowStageBinding | null;
    readonly plan_context: Readonly<Record<string, unknown>>;
    readonly session_id: string;
  };
  readonly is_completed: boolean;
}

export interface FlowSet {
  readonly pk: string;
  readonly policybindingmodel_ptr_id: string;
  readonly name: string;
  readonly slug: string;
  readonly title: string;
  readonly designation: 'authentication' | 'authorization' | 'invalidation' | 'enrollment' | 'unenrollment' | 'recovery' | 'stage_configuration';
  readonly background: string;
  readonly policy_engine_mode: 'all' | 'any';
  readonly compatibility_mode: boolean;
  readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  readonly denied_action: 'message_continue' | 'message' | 'continue';
  readonly export_url: string;
}

export interface FlowStageBinding {
  readonly pk: string;
  readonly policybindingmodel_ptr_id: string;
  readonly target: string;
  readonly stage: string;
  readonly stage_obj: Stage;
  readonly evaluate_on_plan: boolean;
  readonly re_evaluate_policies: boolean;
  readonly order: number;
  readonly policy_engine_mode: 'all' | 'any';
  readonly invalid_response_action: 'retry' | 'restart' | 'restart_with_context';
}

export interface Group {
  readonly pk: string;
  readonly name: string;
  readonly is_superuser: boolean;
  readonly parent: string | null;
  readonly parent_name: string | null;
  readonly users: readonly number[];
  readonly users_obj: readonly GroupMember[] | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly roles: readonly string[];
  readonly roles_obj: readonly Role[];
  readonly num_pk: number;
  readonly member_count: number;
}

export interface GroupMember {
  readonly pk: number;
  readonly username: string;
  readonly name: string;
  readonly is_active: boolean;
  readonly last_login: string | null;
  readonly email: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly uid: string;
}

export interface IdentificationChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-identification';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly user_fields: readonly string[] | null;
  readonly password_fields: boolean;
  readonly allow_show_password: boolean;
  readonly flow_designation: string;
  readonly application_pre?: string;
  readonly application_icon?: string;
  readonly enroll_url?: string;
  readonly recovery_url?: string;
  readonly passwordless_url?: string;
  readonly primary_action: string;
  readonly sources: readonly {
    readonly name: string;
    readonly icon_url: string | null;
    readonly challenge: {
      readonly component: 'xak-source-mediasrc';
      readonly client_id: string;
      readonly slug: string;
    } | {
      readonly component: 'xak-flow-redirect';
      readonly to: string;
    };
  }[];
  readonly show_source_labels: boolean;
}

export interface IdentificationStage {
  readonly pk: string;
  readonly name: string;
  readonly flow_set: readonly FlowSet[];
  readonly component: string;
  readonly verbose_name: string;
  readonly verbose_name_plural: string;
  readonly meta_model_name: string;
  readonly user_fields: readonly ('email' | 'username' | 'upn')[];
  readonly password_stage: string | null;
  readonly case_insensitive_matching: boolean;
  readonly show_matched_user: boolean;
  readonly enrollment_flow: string | null;
  readonly recovery_flow: string | null;
  readonly passwordless_flow: string | null;
  readonly sources: readonly string[];
  readonly show_source_labels: boolean;
  readonly pretend_user_exists: boolean;
}

export interface Invitation {
  readonly pk: string;
  readonly name: string;
  readonly expires: string | null;
  readonly fixed_data: Readonly<Record<string, unknown>>;
  readonly created_by: GroupMember;
  readonly single_use: boolean;
  readonly flow: string | null;
  readonly flow_obj: Flow | null;
  readonly token?: string | null;
  readonly link?: string | null;
}

export interface InvitationChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-invitation';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
}

export interface LDAPProvider {
  readonly pk: number;
  readonly name: string;
  readonly authentication_flow: string | null;
  readonly authorization_flow: string;
  readonly invalidation_flow: string | null;
  readonly property_mappings: readonly string[];
  readonly assigned_application_slug: string;
  readonly assigned_application_name: string;
  readonly assigned_backchannel_application_slug: string;
  readonly assigned_backchannel_application_name: string;
  readonly component: string;
  readonly verbose_name: string;
  readonly verbose_name_plural: string;
  readonly meta_model_name: string;
  readonly base_dn: string;
  readonly certificate: string | null;
  readonly tls_server_name: string;
  readonly uid_start_number: number;
  readonly gid_start_number: number;
  readonly search_mode: 'direct' | 'cached';
  readonly bind_mode: 'direct' | 'cached';
  readonly mfa_support: boolean;
  readonly uid_source: 'username' | 'hashed_user_id';
  readonly published_attributes: readonly string[];
  readonly accept_app_passwords: boolean;
  readonly outpost_set: readonly string[];
}

export interface Link {
  readonly link: string;
}

export interface MailTest {
  readonly to: string;
}

export interface Maintenance {
  readonly version: string;
  readonly public_url: string;
  readonly health: {
    readonly database: string;
    readonly mail: boolean;
    readonly jobs_queued: number;
    readonly jobs_failed: number;
    readonly last_backup: string | null;
  } | null;
  readonly certificates: readonly {
    readonly pk: string;
    readonly name: string;
    readonly ends: string;
  }[];
  readonly jobs: readonly {
    readonly pk: string;
    readonly name: string;
    readonly description: string;
    readonly status: 'successful' | 'warning' | 'error' | 'waiting';
    readonly message: string;
    readonly finished: string | null;
    readonly next_run: string | null;
    readonly may_run: boolean;
  }[];
  readonly tokens: readonly {
    readonly identifier: string;
    readonly username: string;
    readonly intent: string;
    readonly ends: string | null;
  }[];
  readonly connections: readonly {
    readonly pk: string;
    readonly name: string;
    readonly type: string;
    readonly path: string;
  }[];
  readonly sources: readonly {
    readonly name: string;
    readonly type: string;
    readonly path: string;
    readonly is_enabled: boolean;
  }[];
  readonly sync: readonly {
    readonly pk: number;
    readonly name: string;
    readonly type: string;
    readonly path: string;
    readonly is_assigned: boolean;
    readonly may_change: boolean;
    readonly outstanding: number;
    readonly failed: number;
    readonly paused_until: string | null;
    readonly message: string;
    readonly last_successful: string | null;
    readonly run: {
      readonly state: 'running' | 'done' | 'failed';
      readonly done: number;
      readonly left: number;
      readonly failed: number;
      readonly message: string;
      readonly started: string;
      readonly finished: string | null;
    } | null;
  }[];
  readonly cut: readonly string[];
}

export interface Notification {
  readonly pk: string;
  readonly severity: 'notice' | 'warning' | 'alert';
  readonly body: string;
  readonly created: string;
  readonly event: Event | null;
  readonly seen: boolean;
}

export interface NotificationTransport {
  readonly pk: string;
  readonly name: string;
  readonly mode: 'local' | 'webhook' | 'webhook_slack' | 'email';
  readonly webhook_url: string;
  readonly webhook_mapping: string | null;
  readonly send_once: boolean;
  readonly mode_verbose: string;
}

export interface OAuth2Provider {
  readonly pk: number;
  readonly name: string;
  readonly authentication_flow: string | null;
  readonly authorization_flow: string;
  readonly invalidation_flow: string | null;
  readonly property_mappings: readonly string[];
  readonly assigned_application_slug: string;
  readonly assigned_application_name: string;
  readonly assigned_backchannel_application_slug: string;
  readonly assigned_backchannel_application_name: string;
  readonly component: string;
  readonly verbose_name: string;
  readonly verbose_name_plural: string;
  readonly meta_model_name: string;
  readonly client_type: 'confidential' | 'public';
  readonly client_id: string;
  readonly client_secret: string;
  readonly previous_secret_expires: string | null;
  readonly access_code_validity: string;
  readonly access_token_validity: string;
  readonly refresh_token_validity: string;
  readonly include_claims_in_id_token: boolean;
  readonly signing_key: string | null;
  readonly id_token_signed_response_alg: 'auto' | 'HS256';
  readonly redirect_uris: readonly {
    readonly matching_mode: 'strict' | 'regex';
    readonly url: string;
  }[];
  readonly sub_mode: 'hashed_user_id' | 'user_id' | 'user_uuid' | 'user_username' | 'user_email' | 'user_upn';
  readonly issuer_mode: 'global' | 'per_provider';
  readonly grant_types: readonly ('authorization_code' | 'implicit' | 'hybrid' | 'refresh_token' | 'client_credentials' | 'password' | 'urn:ietf:params:oauth:grant-type:device_code' | 'urn:ietf:params:oauth:grant-type:token-exchange')[];
  readonly post_logout_redirect_uris: readonly {
    readonly matching_mode: 'strict' | 'regex';
    readonly url: string;
  }[];
  readonly backchannel_logout_uri: string;
  readonly frontchannel_logout_uri: string;
  readonly jwks_sources: readonly string[];
  readonly audience_clients: readonly number[];
  readonly resources: readonly string[];
  readonly jwks: Readonly<Record<string, unknown>>;
  readonly jwks_uri: string;
  readonly security_profile: 'standard' | 'fapi2';
  readonly require_signed_request_object: boolean;
}

export interface OAuth2ProviderRotatedSecret {
  readonly client_secret: string;
  readonly previous_secret_expires: string | null;
}

export interface OAuthSource {
  readonly pk: string;
  readonly name: string;
  readonly slug: string;
  readonly enabled: boolean;
  readonly authentication_flow: string | null;
  readonly enrollment_flow: string | null;
  readonly user_property_mappings: readonly string[];
  readonly group_property_mappings: readonly string[];
  readonly policy_engine_mode: 'all' | 'any';
  readonly user_matching_mode: 'identifier' | 'email_link' | 'email_deny' | 'username_link' | 'username_deny';
  readonly managed: string | null;
  readonly user_path_template: string;
  readonly icon: string;
  readonly group_matching_mode: 'identifier' | 'name_link' | 'name_deny';
  readonly component: string;
  readonly verbose_name: string;
  readonly verbose_name_plural: string;
  readonly meta_model_name: string;
  readonly provider_type: 'apple' | 'openidconnect' | 'azuread' | 'discord' | 'facebook' | 'github' | 'gitlab' | 'google' | 'mailcow' | 'oauth2' | 'okta' | 'patreon' | 'reddit' | 'twitch' | 'twitter';
  readonly consumer_key: string;
  readonly oidc_well_known_url: string;
  readonly request_token_url: string | null;
  readonly authorization_url: string | null;
  readonly access_token_url: string | null;
  readonly profile_url: string | null;
  readonly additional_scopes: string;
  readonly oidc_jwks_url: string;
  readonly oidc_jwks: Readonly<Record<string, unknown>> | readonly unknown[] | string | number | boolean;
  readonly end_session_at_source: boolean;
  readonly callback_url: string;
  readonly logout_url: string;
  readonly backchannel_logout_url: string;
  readonly type: {
    readonly name: string;
    readonly verbose_name: string;
    readonly urls_customizable: boolean;
    readonly request_token_url: string | null;
    readonly authorization_url: string | null;
    readonly access_token_url: string | null;
    readonly profile_url: string | null;
    readonly oidc_well_known_url: string | null;
    readonly oidc_jwks_url: string | null;
  };
}

export interface PaginatedApplicationList {
  readonly pagination: Pagination;
  readonly results: readonly Application[];
}

export interface PaginatedAuthenticatedSessionList {
  readonly pagination: Pagination;
  readonly results: readonly AuthenticatedSession[];
}

export interface PaginatedEmailStageList {
  readonly pagination: Pagination;
  readonly results: readonly EmailStage[];
}

export interface PaginatedEventList {
  readonly pagination: Pagination;
  readonly results: readonly Event[];
}

export interface PaginatedFlowList {
  readonly pagination: Pagination;
  readonly results: readonly Flow[];
}

export interface PaginatedGroupList {
  readonly pagination: Pagination;
  readonly results: readonly Group[];
}

export interface PaginatedIdentificationStageList {
  readonly pagination: Pagination;
  readonly results: readonly IdentificationStage[];
}

export interface PaginatedNotificationList {
  readonly pagination: Pagination;
  readonly results: readonly Notification[];
}

export interface PaginatedPolicyBindingList {
  readonly pagination: Pagination;
  readonly results: readonly PolicyBinding[];
}

export interface PaginatedSourceList {
  readonly pagination: Pagination;
  readonly results: readonly Source[];
}

export interface PaginatedTokenModelList {
  readonly pagination: Pagination;
  readonly results: readonly TokenModel[];
}

export interface PaginatedUserList {
  readonly pagination: Pagination;
  readonly results: readonly User[];
}

export interface Pagination {
  readonly next: number;
  readonly previous: number;
  readonly count: number;
  readonly current: number;
  readonly total_pages: number;
  readonly start_index: number;
  readonly end_index: number;
}

export interface PasswordChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-password';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly pending_user: string;
  readonly pending_user_avatar: string;
  readonly allow_show_password: boolean;
  readonly recovery_url?: string;
}

export interface Permission {
  readonly id: number;
  readonly name: string;
  readonly codename: string;
  readonly model: string;
  readonly app_label: string;
  readonly app_label_verbose: string;
  readonly model_verbose: string;
  readonly is_held: boolean;
}

export interface Policy {
  readonly pk: string;
  readonly name: string;
  readonly execution_logging: boolean;
  readonly bound_to: number;
  readonly component: string;
  readonly verbose_name: string;
  readonly verbose_name_plural: string;
  readonly meta_model_name: string;
}

export interface PolicyBinding {
  readonly pk: string;
  readonly policy: string | null;
  readonly group: string | null;
  readonly user: number | null;
  readonly policy_obj: Policy | null;
  readonly group_obj: Group | null;
  readonly user_obj: User | null;
  readonly target: string;
  readonly negate: boolean;
  readonly enabled: boolean;
  readonly order: number;
  readonly timeout: number;
  readonly failure_result: boolean;
}

export interface PolicyTestResult {
  readonly passing: boolean;
  readonly messages: readonly string[];
  readonly log_messages: readonly {
    readonly timestamp: string;
    readonly log_level: 'critical' | 'exception' | 'error' | 'warn' | 'warning' | 'info' | 'debug' | 'notset';
    readonly logger: string;
    readonly event: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
}

export interface PromptChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-prompt';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly fields: readonly {
    readonly field_key: string;
    readonly label: string;
    readonly type: 'text' | 'text_area' | 'text_read_only' | 'text_area_read_only' | 'username' | 'email' | 'password' | 'number' | 'checkbox' | 'radio-button-group' | 'dropdown' | 'date' | 'date-time' | 'file' | 'separator' | 'hidden' | 'static' | 'xak-locale';
    readonly required: boolean;
    readonly placeholder: string;
    readonly initial_value: string;
    readonly order: number;
    readonly sub_text: string;
    readonly choices: readonly string[] | null;
  }[];
  readonly password_rules?: readonly {
    readonly field_key: string;
    readonly kind: 'length' | 'digits' | 'uppercase' | 'lowercase' | 'symbols';
    readonly at_least: number;
    readonly characters: string;
  }[];
}

export interface PropertyMappingPreview {
  readonly preview: Readonly<Record<string, unknown>>;
}

export interface PropertyMappingTestResult {
  readonly result: string;
  readonly successful: boolean;
}

export interface Provider {
  readonly pk: number;
  readonly name: string;
  readonly authentication_flow: string | null;
  readonly authorization_flow: string | null;
  readonly invalidation_flow: string | null;
  readonly property_mappings: readonly string[];
  readonly assigned_application_slug: string;
  readonly assigned_application_name: string;
  readonly assigned_backchannel_application_slug: string;
  readonly assigned_backchannel_application_name: string;
  readonly component: string;
  readonly verbose_name: string;
  readonly verbose_name_plural: string;
  readonly meta_model_name: string;
}

export interface ProxyProvider {
  readonly pk: number;
  readonly name: string;
  readonly authentication_flow: string | null;
  readonly authorization_flow: string;
  readonly invalidation_flow: string | null;
  readonly property_mappings: readonly string[];
  readonly assigned_application_slug: string;
  readonly assigned_application_name: string;
  readonly assigned_backchannel_application_slug: string;
  readonly assigned_backchannel_application_name: string;
  readonly component: string;
  readonly verbose_name: string;
  readonly verbose_name_plural: string;
  readonly meta_model_name: string;
  readonly mode: 'proxy' | 'forward_single' | 'forward_domain';
  readonly external_host: string;
  readonly internal_host: string;
  readonly internal_host_ssl_validation: boolean;
  readonly certificate: string | null;
  readonly cookie_domain: string;
  readonly skip_path_regex: string;
  readonly intercept_header_auth: boolean;
  readonly basic_auth_enabled: boolean;
  readonly basic_auth_user_attribute: string;
  readonly basic_auth_password_attribute: string;
  readonly access_token_validity: string;
  readonly refresh_token_validity: string;
  readonly jwks_sources: readonly string[];
  readonly client_id: string;
  readonly outpost_set: readonly string[];
  readonly redirect_uris: readonly {
    readonly matching_mode: 'strict' | 'regex';
    readonly url: string;
  }[];
}

export interface ProxyProviderTest {
  readonly test: string;
  readonly url: string;
}

export interface ProxyProviderTestResult {
  readonly steps: readonly {
    readonly step: 'check' | 'start' | 'request';
    readonly proxy: string;
    readonly peer: string;
    readonly is_trusted: boolean;
    readonly is_found: boolean;
    readonly missing: readonly string[];
    readonly headers: readonly {
      readonly name: string;
      readonly received: string;
    }[];
  }[];
}

export interface RadiusProvider {
  readonly pk: number;
  readonly name: string;
  readonly authentication_flow: string | null;
  readonly authorization_flow: string;
  readonly invalidation_flow: string | null;
  readonly property_mappings: readonly string[];
  readonly assigned_application_slug: string;
  readonly assigned_application_name: string;
  readonly assigned_backchannel_application_slug: string;
  readonly assigned_backchannel_application_name: string;
  readonly component: string;
  readonly verbose_name: string;
  readonly verbose_name_plural: string;
  readonly meta_model_name: string;
  readonly client_networks: string;
  readonly shared_secret: string;
  readonly mfa_support: boolean;
  readonly accept_app_passwords: boolean;
  readonly require_message_authenticator: boolean;
  readonly certificate: string | null;
  readonly client_ca: string | null;
  readonly radsec_ca: string | null;
  readonly outpost_set: readonly string[];
}

export interface ReadyMadeFlow {
  readonly name: 'recovery' | 'invitation' | 'registration' | 'passkey' | 'consent' | 'proof';
  readonly is_on: boolean;
  readonly flow: string | null;
  readonly places: readonly {
    readonly name: string;
    readonly path: string;
  }[];
}

export interface RedirectChallenge {
  readonly flow_info?: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-flow-redirect';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly to: string;
}

export interface Role {
  readonly pk: string;
  readonly name: string;
}

export interface SAMLMetadata {
  readonly metadata: string;
  readonly download_url: string;
}

export interface SAMLProvider {
  readonly pk: number;
  readonly name: string;
  readonly authentication_flow: string | null;
  readonly authorization_flow: string;
  readonly invalidation_flow: string | null;
  readonly property_mappings: readonly string[];
  readonly assigned_application_slug: string;
  readonly assigned_application_name: string;
  readonly assigned_backchannel_application_slug: string;
  readonly assigned_backchannel_application_name: string;
  readonly component: string;
  readonly verbose_name: string;
  readonly verbose_name_plural: string;
  readonly meta_model_name: string;
  readonly acs_url: string;
  readonly audience: string;
  readonly issuer: string;
  readonly sp_binding: 'redirect' | 'post';
  readonly assertion_valid_not_before: string;
  readonly assertion_valid_not_on_or_after: string;
  readonly session_valid_not_on_or_after: string;
  readonly name_id_mapping: string | null;
  readonly default_name_id_policy: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress' | 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent' | 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' | 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified' | 'urn:oasis:names:tc:SAML:1.1:nameid-format:WindowsDomainQualifiedName' | 'urn:oasis:names:tc:SAML:1.1:nameid-format:X509SubjectName';
  readonly digest_algorithm: 'http://www.w3.org/2000/09/xmldsig#sha1' | 'http://www.w3.org/2001/04/xmlenc#sha256' | 'http://www.w3.org/2001/04/xmldsig-more#sha384' | 'http://www.w3.org/2001/04/xmlenc#sha512';
  readonly signature_algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' | 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256' | 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384' | 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512' | 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha1' | 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256' | 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384' | 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512' | 'http://www.w3.org/2000/09/xmldsig#dsa-sha1';
  readonly signing_kp: string | null;
  readonly verification_kp: string | null;
  readonly encryption_kp: string | null;
  readonly encryption_algorithm: 'http://www.w3.org/2001/04/xmlenc#aes256-cbc' | 'http://www.w3.org/2009/xmlenc11#aes256-gcm';
  readonly sign_assertion: boolean;
  readonly sign_response: boolean;
  readonly default_relay_state: string;
  readonly sls_url: string;
  readonly sls_binding: 'redirect' | 'post' | 'soap';
  readonly logout_method: 'frontchannel' | 'backchannel';
  readonly url_download_metadata: string;
  readonly url_sso_post: string;
  readonly url_sso_redirect: string;
  readonly url_sso_init: string;
  readonly url_slo_post: string;
  readonly url_slo_redirect: string;
}

export interface SavedView {
  readonly pk: string;
  readonly list: string;
  readonly name: string;
  readonly query: string;
  readonly columns: readonly string[] | null;
}

export interface SecondFactorRequirement {
  readonly require: 'none' | 'administrators' | 'groups' | 'everybody' | 'custom';
  readonly groups: readonly string[];
  readonly places: readonly {
    readonly name: string;
    readonly path: string;
  }[];
}

export interface ServerSettings {
  readonly public_url: string;
  readonly smtp_host: string;
  readonly smtp_port: number;
  readonly smtp_security: 'starttls' | 'tls' | 'none';
  readonly smtp_username: string;
  readonly smtp_from: string;
  readonly has_smtp_password: boolean;
  readonly public_url_in_use: string;
  readonly locked: readonly ('public_url' | 'mail')[];
}

export interface ServiceConnectionState {
  readonly healthy: boolean;
  readonly version: string;
}

export interface SessionUser {
  readonly user: {
    readonly pk: number;
    readonly username: string;
    readonly name: string;
    readonly is_active: boolean;
    readonly is_superuser: boolean;
    readonly groups: readonly {
      readonly name: string;
      readonly pk: string;
    }[];
    readonly email: string;
    readonly avatar: string;
    readonly uid: string;
    readonly settings: Readonly<Record<string, unknown>>;
    readonly type: 'internal' | 'external' | 'service_account' | 'internal_service_account';
    readonly system_permissions: readonly string[];
  };
  readonly original?: {
    readonly pk: number;
    readonly username: string;
    readonly name: string;
    readonly is_active: boolean;
    readonly is_superuser: boolean;
    readonly groups: readonly {
      readonly name: string;
      readonly pk: string;
    }[];
    readonly email: string;
    readonly avatar: string;
    readonly uid: string;
    readonly settings: Readonly<Record<string, unknown>>;
    readonly type: 'internal' | 'external' | 'service_account' | 'internal_service_account';
    readonly system_permissions: readonly string[];
  };
}

export interface SignInPreview {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly screen: {
    readonly user_fields: readonly string[] | null;
    readonly password_fields: boolean;
    readonly allow_show_password: boolean;
    readonly flow_designation: string;
    readonly application_pre?: string;
    readonly application_icon?: string;
    readonly enroll_url?: string;
    readonly recovery_url?: string;
    readonly passwordless_url?: string;
    readonly primary_action: string;
    readonly sources: readonly {
      readonly name: string;
      readonly icon_url: string | null;
      readonly challenge: {
        readonly component: 'xak-source-mediasrc';
        readonly client_id: string;
        readonly slug: string;
      } | {
        readonly component: 'xak-flow-redirect';
        readonly to: string;
      };
    }[];
    readonly show_source_labels: boolean;
  } | null;
}

export interface SignInSwitches {
  readonly ready_made: readonly ReadyMadeFlow[];
  readonly second_factor: SecondFactorRequirement;
  readonly uses: readonly {
    readonly slug: string;
    readonly used_by: readonly {
      readonly name: string;
    }[];
  }[];
}

export interface Source {
  readonly pk: string;
  readonly name: string;
  readonly slug: string;
  readonly enabled: boolean;
  readonly authentication_flow: string | null;
  readonly enrollment_flow: string | null;
  readonly user_property_mappings: readonly string[];
  readonly group_property_mappings: readonly string[];
  readonly policy_engine_mode: 'all' | 'any';
  readonly user_matching_mode: 'identifier' | 'email_link' | 'email_deny' | 'username_link' | 'username_deny';
  readonly managed: string | null;
  readonly user_path_template: string;
  readonly icon: string | null;
  readonly component: string;
  readonly verbose_name: string;
  readonly verbose_name_plural: string;
  readonly meta_model_name: string;
}

export interface SourceMediasrcChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-source-mediasrc';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly pending_user: string;
  readonly pending_user_avatar: string;
  readonly client_id: string;
  readonly slug: string;
}

export interface Stage {
  readonly pk: string;
  readonly name: string;
  readonly flow_set: readonly FlowSet[];
  readonly component: string;
  readonly verbose_name: string;
  readonly verbose_name_plural: string;
  readonly meta_model_name: string;
}

export interface SyncLedger {
  readonly results: readonly {
    readonly id: string;
    readonly user: number | null;
    readonly group: string | null;
    readonly remote_id: string | null;
    readonly outstanding: number;
    readonly due: string | null;
    readonly attempts: number;
    readonly error: string;
    readonly last_sent: string | null;
    readonly requests: readonly Readonly<Record<string, unknown>>[];
  }[];
}

export interface SyncObjectResult {
  readonly messages: readonly {
    readonly timestamp: string;
    readonly log_level: 'critical' | 'exception' | 'error' | 'warn' | 'warning' | 'info' | 'debug' | 'notset';
    readonly logger: string;
    readonly event: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
}

export interface TestSignIn {
  readonly passing: boolean;
  readonly message: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface Token {
  readonly pk: string;
  readonly managed: string | null;
  readonly identifier: string;
  readonly intent: 'verification' | 'api' | 'recovery' | 'app_password';
  readonly user: number;
  readonly user_obj: User;
  readonly description: string;
  readonly expires: string | null;
  readonly expiring: boolean;
  readonly application: string | null;
}

export interface TokenModel {
  readonly pk: number;
  readonly provider: OAuth2Provider;
  readonly user: User;
  readonly expires: string | null;
  readonly scope: readonly string[];
  readonly id_token: string;
  readonly revoked: boolean;
  readonly is_expired: boolean;
}

export interface TokenView {
  readonly key: string;
}

export interface TransactionApplicationResponse {
  readonly applied: boolean;
  readonly logs: readonly string[];
  readonly issuer?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly metadata_url?: string;
  readonly sso_url?: string;
}

export interface TwofactorDeviceEnrollmentStatus {
  readonly twofactor_response: 'success' | 'waiting' | 'invalid';
}

export interface UsedBy {
  readonly app: string;
  readonly model_name: string;
  readonly pk: string;
  readonly name: string;
  readonly action: 'cascade' | 'cascade_many' | 'set_null' | 'set_default' | 'protect';
}

export interface User {
  readonly pk: number;
  readonly username: string;
  readonly name: string;
  readonly is_active: boolean;
  readonly last_login: string | null;
  readonly is_superuser: boolean;
  readonly groups: readonly string[];
  readonly groups_obj: readonly UserGroup[] | null;
  readonly email: string;
  readonly email_verified?: boolean;
  readonly email_verified_at?: string | null;
  readonly email_verified_by?: 'administrator' | 'mail' | 'invitation' | 'source' | 'scim' | 'user' | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly path: string;
  readonly type: 'internal' | 'external' | 'service_account' | 'internal_service_account';
  readonly uuid: string;
  readonly avatar: string;
  readonly uid: string;
}

export interface UserConsent {
  readonly pk: number;
  readonly expires: string | null;
  readonly expiring: boolean;
  readonly user: User;
  readonly application: Application;
  readonly permissions: string;
}

export interface UserDeleteChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-user-delete';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly pending_user: string;
  readonly pending_user_avatar: string;
}

export interface UserGroup {
  readonly pk: string;
  readonly name: string;
  readonly is_superuser: boolean;
  readonly parent: string | null;
  readonly parent_name: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly num_pk: number;
}

export interface UserLoginChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-user-login';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
  readonly pending_user: string;
  readonly pending_user_avatar: string;
}

export interface UserLogoutChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-user-logout';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
}

export interface UserPath {
  readonly paths: readonly string[];
}

export interface UserRights {
  readonly is_superuser: boolean;
  readonly superuser_groups: readonly {
    readonly pk: string;
    readonly name: string;
  }[];
  readonly grants: readonly {
    readonly permission: string;
    readonly name: string;
    readonly model: string;
    readonly object_pk: string | null;
    readonly role: {
      readonly pk: string;
      readonly name: string;
    } | null;
    readonly group: {
      readonly pk: string;
      readonly name: string;
    } | null;
  }[];
}

export interface UserSetting {
  readonly object_uid: string;
  readonly component: string;
  readonly title: string;
  readonly configure_url: string;
  readonly icon_url: string;
}

export interface UserSourceConnection {
  readonly pk: number;
  readonly user: number;
  readonly source: Source;
  readonly created: string;
}

export interface UserWriteChallenge {
  readonly flow_info: {
    readonly title: string;
    readonly background: string;
    readonly cancel_url: string;
    readonly layout: 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';
  };
  readonly component: 'xak-stage-user-write';
  readonly response_errors?: Readonly<Record<string, readonly {
    readonly string: string;
    readonly code: string;
  }[]>>;
}
