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

export type Device = readonly {
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
}[];

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

export interface Notification {
  readonly pk: string;
  readonly severity: 'notice' | 'warning' | 'alert';
  readonly body: string;
  readonly created: string;
  readonly event: Event | null;
  readonly seen: boolean;
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

export type UserSettings = readonly {
  readonly object_uid: string;
  readonly component: string;
  readonly title: string;
  readonly configure_url: string;
  readonly icon_url: string;
}[];

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
