/** The members common to all challenges. Each screen declares its own. */
export interface Challenge {
  readonly component: string;
  readonly flow_info?: FlowInfo;
  readonly response_errors?: Readonly<Record<string, readonly { readonly string: string; readonly code: string }[]>>;
}

export interface FlowInfo {
  readonly title?: string;
  readonly background?: string;
  readonly cancel_url: string;
  readonly layout: Layout;
}

export type Layout = 'stacked' | 'content_left' | 'content_right' | 'sidebar_left' | 'sidebar_right';

/** Whether the flow is for signed-in users, and leaving it leads back to the page that opened it. */
export const leadsBack = ({ flow_info }: Challenge): boolean =>
  URL.parse(flow_info?.cancel_url ?? '', location.href)?.searchParams.has('back') ?? false;

/** Challenges with a known user. */
export interface WithPendingUser extends Challenge {
  readonly pending_user: string;
  readonly pending_user_avatar: string;
}

export interface Redirect extends Challenge {
  readonly to: string;
}

export const redirectComponent = 'xak-flow-redirect';
export const deniedComponent = 'xak-stage-access-denied';
export const faultComponent = 'xak-stage-flow-error';
export const mediaComponent = 'xak-source-mediasrc';
export const captchaComponent = 'xak-stage-captcha';

export interface MediaChallenge extends Challenge {
  readonly client_id: string;
  readonly slug: string;
}

/** The errors of one member of the last answer. */
export function errorsOf({ response_errors = {} }: Challenge, member: string): string[] {
  return (response_errors[member] ?? []).map(({ string }) => string);
}

/** The errors of the last answer that no field of the screen shows. */
export function otherErrors({ response_errors = {} }: Challenge, shown: readonly string[]): string[] {
  const others = Object.entries(response_errors).filter(([member]) => !shown.includes(member));
  return [...new Set(others.flatMap(([, errors]) => errors.map(({ string }) => string)))];
}
