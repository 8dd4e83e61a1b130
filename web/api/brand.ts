/** The brand in every page's document, as `core_brands_current_retrieve` returns it. */
export interface Brand {
  readonly matched_domain: string;
  readonly branding_title: string;
  readonly branding_logo: string;
  readonly branding_favicon: string;
  readonly ui_footer_links: readonly { readonly href: string | null; readonly name: string }[];
  readonly ui_theme: 'automatic' | 'light' | 'dark';
  readonly ui_layout: 'centred' | 'left' | 'right';
  /** The image behind the sign-in page. */
  readonly ui_background: string | null;
  /** The style sheet with the brand's colours. */
  readonly ui_style: string | null;
  readonly default_locale: string;
  /** Slugs; left out where the brand has no such flow. */
  readonly flow_authentication?: string;
  readonly flow_invalidation?: string;
  readonly flow_recovery?: string;
  readonly flow_unenrollment?: string;
  readonly flow_user_settings?: string;
  readonly flow_device_code?: string;
}
