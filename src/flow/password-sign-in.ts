import { asObject } from '../lib/json.ts';
import { Problem } from '../lib/problem.ts';
import type { Call } from '../resource/call.ts';
import type { Row } from '../resource/fields/field.ts';
import { unavailableMessage } from './passwords/attempt-messages.ts';
import { type ProgramWalkNeeds, signedInBy, walkForProgram } from './program-walk.ts';

/** The devices whose codes can be sent along with a password; others ask first, or are asked. */
export const devicesWithCodes: readonly string[] = [
  'svc_stages_authenticator_totp.totpdevice',
  'svc_stages_authenticator_static.staticdevice',
];

/** The credentials of protocols that only have a name and a password. */
export interface GivenPassword {
  readonly username: string;
  readonly password: string;
  /** A code of a second factor. */
  readonly code: string | null;
  /** Whether second factors may be requested. */
  readonly asksDevices: boolean;
  /** What policies see in the query of the page. */
  readonly query: Readonly<Record<string, string>>;
}

export type PasswordSignIn =
  | { readonly outcome: 'right'; readonly user: number }
  /** `reason` is for the log of administrators: programs learn nothing. */
  | { readonly outcome: 'wrong'; readonly reason: string };

/**
 * Goes through a flow with the answers that a name and a password give. It leaves no session. Throws a `Problem` if the
 * directory of the user cannot be reached: programs take a wrong password for final, and ask people for another one.
 */
export async function signInByPassword(
  needs: ProgramWalkNeeds,
  call: Call,
  flow: string,
  given: GivenPassword,
): Promise<PasswordSignIn> {
  const answer = (challenge: Row) => answerTo(challenge, given);
  const end = await walkForProgram(needs, call, { flow, user: null, query: given.query, answer });
  if (end.outcome === 'refused') {
    if (end.complaints.includes(unavailableMessage)) throw new Problem('unavailable', unavailableMessage);
    return { outcome: 'wrong', reason: end.reason };
  }
  const user = signedInBy(end.context);
  return user === null ? { outcome: 'wrong', reason: 'the flow signs no user in' } : { outcome: 'right', user };
}

function answerTo(challenge: Row, { username, password, code, asksDevices }: GivenPassword): Row | null {
  const { component } = challenge;
  switch (component) {
    case 'xak-stage-identification':
      return { component, uid_field: username, ...(challenge.password_fields === true && { password }) };
    case 'xak-stage-password':
      return { component, password };
    case 'xak-stage-authenticator-validate': {
      const offered = Array.isArray(challenge.device_challenges) ? challenge.device_challenges.map(asObject) : [];
      const classes = new Set(offered.map(({ device_class }) => device_class));
      if (code !== null && (classes.has('totp') || classes.has('static'))) return { component, code };
      const push = asksDevices ? offered.find(({ device_class }) => device_class === 'twofactor') : undefined;
      if (!push) return null;
      const { device_class, device_uid } = push;
      return {
        ...{ component, selected_challenge: { device_class, device_uid, challenge: {} } },
        twofactor: Number(device_uid),
      };
    }
    default:
      return null;
  }
}
