import type { ChallengeTypes, IdentificationChallenge } from '../api/types.ts';

/** What all challenges have in common. */
export type Challenge = Pick<ChallengeTypes, 'component' | 'response_errors'> & { readonly flow_info?: FlowInfo };

export type FlowInfo = IdentificationChallenge['flow_info'];

/** The challenge with this component. */
export type ChallengeOf<C extends Challenge['component']> = Extract<ChallengeTypes, { readonly component: C }>;

/** Whether the flow is for signed-in users, and leaving it leads back to the page that opened it. */
export const leadsBack = ({ flow_info }: Challenge): boolean =>
  URL.parse(flow_info?.cancel_url ?? '', location.href)?.searchParams.has('back') ?? false;

/** Challenges with a known user. */
export type WithPendingUser = Challenge &
  Pick<ChallengeOf<'xak-stage-password'>, 'pending_user' | 'pending_user_avatar'>;

export const redirectComponent = 'xak-flow-redirect';
export const deniedComponent = 'xak-stage-access-denied';
export const faultComponent = 'xak-stage-flow-error';
export const mediaComponent = 'xak-source-mediasrc';
export const captchaComponent = 'xak-stage-captcha';

/** The errors of one member of the last answer. */
export function errorsOf({ response_errors = {} }: Challenge, member: string): string[] {
  return (response_errors[member] ?? []).map(({ string }) => string);
}

/** The errors of the last answer that no field of the screen shows. */
export function otherErrors({ response_errors = {} }: Challenge, shown: readonly string[]): string[] {
  const others = Object.entries(response_errors).filter(([member]) => !shown.includes(member));
  return [...new Set(others.flatMap(([, errors]) => errors.map(({ string }) => string)))];
}
